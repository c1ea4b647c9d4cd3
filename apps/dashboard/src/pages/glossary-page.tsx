import { GLOSSARY, type Definition } from '../definitions/glossary';
import { Page } from '../shell/page';

/** All definitions on one page. */
export function GlossaryPage() {
  return (
    <Page title="How things are counted" subtitle="The definitions beside the numbers, all together">
      <dl className="glossary panel">
        {Object.entries<Definition>(GLOSSARY).map(([term, { title, text, formula }]) => (
          <div key={term}>
            <dt>{title}</dt>
            <dd>
              <p>{text}</p>
              {formula === undefined ? null : <p className="formula">{formula}</p>}
            </dd>
          </div>
        ))}
      </dl>
    </Page>
  );
}
