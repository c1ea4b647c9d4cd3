import type { ReactNode } from 'react';

/** Line icons of one weight, drawn for this page. Beside words they are for the eye alone. */
function Icon({ children, size = 16 }: { children: ReactNode; size?: number }) {
  return (
    <svg
      className="icon"
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      {children}
    </svg>
  );
}

export const OverviewIcon = () => (
  <Icon>
    <path d="M2 13.5h12M4 11V8M8 11V3.5M12 11V6" />
  </Icon>
);
export const ProjectIcon = () => (
  <Icon>
    <path d="M2.5 4.5 8 2l5.5 2.5v7L8 14l-5.5-2.5zM2.5 4.5 8 7l5.5-2.5M8 7v7" />
  </Icon>
);
export const PersonIcon = () => (
  <Icon>
    <circle cx="8" cy="5.5" r="2.75" />
    <path d="M2.75 13.5c.6-2.6 2.7-4 5.25-4s4.65 1.4 5.25 4" />
  </Icon>
);
export const TeamIcon = () => (
  <Icon>
    <circle cx="6" cy="5.5" r="2.25" />
    <path d="M1.75 13c.5-2.3 2.2-3.5 4.25-3.5S9.75 10.7 10.25 13M10.5 3.500a2.25 2.25 0 0 1 0 4.200M12 9.800c1.2.5 2 1.6 2.3 3.2" />
  </Icon>
);
export const RepositoryIcon = () => (
  <Icon>
    <circle cx="4.5" cy="3.5" r="1.5" />
    <circle cx="4.5" cy="12.5" r="1.5" />
    <circle cx="11.5" cy="5.5" r="1.5" />
    <path d="M4.5 5v6M11.5 7c0 2.5-3.5 2-6 3.5" />
  </Icon>
);
export const CommitIcon = () => (
  <Icon>
    <circle cx="8" cy="8" r="2.5" />
    <path d="M1.5 8h4M10.5 8h4" />
  </Icon>
);
export const PolicyIcon = () => (
  <Icon>
    <path d="M2 4.500h7M12.5 4.500H14M2 11.500h1.500M7 11.500h7" />
    <circle cx="10.75" cy="4.5" r="1.75" />
    <circle cx="5.25" cy="11.5" r="1.75" />
  </Icon>
);
export const QualityIcon = () => (
  <Icon>
    <path d="M8 1.75 13.25 3.500v4c0 3.2-2.1 5.6-5.25 6.750C4.85 13.1 2.75 10.7 2.75 7.500v-4z" />
    <path d="m5.75 7.75 1.6 1.6 3-3" />
  </Icon>
);
export const GlossaryIcon = () => (
  <Icon>
    <path d="M8 3.800C6.5 2.9 4.5 2.7 2.25 3v9.750c2.25-.3 4.25-.1 5.75.8 1.5-.9 3.5-1.1 5.75-.800V3C11.5 2.7 9.5 2.9 8 3.800zM8 3.800v9.7" />
  </Icon>
);
export const FolderIcon = () => (
  <Icon>
    <path d="M1.75 12.500v-9H6l1.5 1.750h6.750v7.250z" />
  </Icon>
);
export const FileIcon = () => (
  <Icon>
    <path d="M4 1.750h5.250L12.5 5v9.250H4zM9 1.750V5.250h3.5" />
  </Icon>
);
export const SunIcon = () => (
  <Icon>
    <circle cx="8" cy="8" r="2.75" />
    <path d="M8 1.250v1.500M8 13.250v1.500M1.25 8h1.500M13.25 8h1.500M3.2 3.200l1.1 1.100M11.7 11.700l1.1 1.100M3.2 12.800l1.1-1.100M11.7 4.300l1.1-1.1" />
  </Icon>
);
export const MoonIcon = () => (
  <Icon>
    <path d="M13.5 9.750A6 6 0 0 1 6.25 2.500a6 6 0 1 0 7.25 7.250z" />
  </Icon>
);
export const SignOutIcon = () => (
  <Icon>
    <path d="M6.5 2.500h-4v11h4M10 5l3 3-3 3M13 8H6" />
  </Icon>
);
export const InfoIcon = () => (
  <Icon size={14}>
    <circle cx="8" cy="8" r="6.25" />
    <path d="M8 7.250v4M8 4.800v.1" />
  </Icon>
);
export const MenuIcon = () => (
  <Icon>
    <path d="M2 4h12M2 8h12M2 12h12" />
  </Icon>
);
