export function bundleFingerprint(entry: string, name: string): string;
