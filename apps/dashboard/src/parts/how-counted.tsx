import { useId, type ToggleEvent } from 'react';
import { GLOSSARY, type Definition, type Term } from '../definitions/glossary';
import { InfoIcon } from './icons';

/** The button beside a number that says how it is counted. Escape or a click elsewhere closes what it opens. */
export function HowCounted({ term }: { term: Term }) {
  const id = useId();
  const { title, text, formula }: Definition = GLOSSARY[term];
  return (
    <>
      <button
        type="button"
        className="how-counted"
        popoverTarget={id}
        aria-label={`How is this counted: ${title}`}
      >
        <InfoIcon />
      </button>
      <div id={id} popover="auto" role="note" className="definition" onToggle={placeBesideButton}>
        <strong>{title}</strong>
        <p>{text}</p>
        {formula === undefined ? null : <p className="formula">{formula}</p>}
      </div>
    </>
  );
}

const GAP_PX = 6;
const MARGIN_PX = 12;

/** Popovers live in the top layer, where only numbers say what they stand beside. */
function placeBesideButton(event: ToggleEvent<HTMLDivElement>): void {
  if (event.newState !== 'open') return;
  const popover = event.currentTarget;
  const button = document.querySelector(`[popovertarget="${popover.id}"]`)?.getBoundingClientRect();
  if (!button) return;
  const { width, height } = popover.getBoundingClientRect();
  const below = button.bottom + GAP_PX;
  const top = below + height > innerHeight - MARGIN_PX ? button.top - GAP_PX - height : below;
  popover.style.top = `${Math.max(MARGIN_PX, top)}px`;
  popover.style.left = `${Math.max(MARGIN_PX, Math.min(button.left - GAP_PX, innerWidth - width - MARGIN_PX))}px`;
}
