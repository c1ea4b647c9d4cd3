import { appendFileSync, existsSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { readJson, writeAtomically } from './atomic-file';
import type { Enrolment } from './client';

/** What a machine knows of its installation, so that it can capture while that is out of reach. */
export interface CaptureSettings extends Enrolment {
  readonly url: string;
  readonly apiKey: string;
  /** Who the edits count for where a repository's own git settings name nobody. */
  readonly userId: string;
  /** The project of all edits; by default each repository is one. */
  readonly projectId?: string;
  /** The developer allows code itself to be sent, where the organisation keeps it. */
  readonly sendCode?: boolean;
  /** When the organisation's part was fetched, in milliseconds since 1970. */
  readonly enrolledAt: number;
}

/** This machine was never enrolled, or its settings are damaged. */
export class NotEnrolled extends Error {
  readonly code = 'not-enrolled';
  override readonly name = 'NotEnrolled';
}

const MAX_LOG_BYTES = 1024 * 1024;

/** The folder of everything that capture keeps on this machine. */
export class CaptureState {
  /** Events that hooks put aside; they hold code, for a second. */
  readonly inboxDirectory: string;
  readonly spoolDirectory: string;
  readonly refusedDirectory: string;
  readonly progressPath: string;
  readonly lockPath: string;
  readonly logPath: string;
  /** The fingerprints that were answered last, for `explain`. */
  readonly lastPath: string;
  private readonly settingsPath: string;

  constructor(readonly directory: string = join(homedir(), '.lineprint')) {
    this.inboxDirectory = join(directory, 'inbox');
    this.spoolDirectory = join(directory, 'spool');
    this.refusedDirectory = join(directory, 'refused');
    this.progressPath = join(directory, 'progress.json');
    this.lockPath = join(directory, 'sender.lock');
    this.logPath = join(directory, 'capture.log');
    this.lastPath = join(directory, 'last.jsonl');
    this.settingsPath = join(directory, 'settings.json');
  }

  isEnrolled(): boolean {
    return existsSync(this.settingsPath);
  }

  /** @throws NotEnrolled */
  settings(): CaptureSettings {
    const settings = readJson<Partial<CaptureSettings>>(this.settingsPath);
    if (!settings?.url || !settings.apiKey || !settings.lineKey || !settings.keyId) {
      throw new NotEnrolled(`This machine is not enrolled (${this.settingsPath}). Run \`lineprint login\`.`);
    }
    return settings as CaptureSettings;
  }

  saveSettings(settings: CaptureSettings): void {
    writeAtomically(this.settingsPath, `${JSON.stringify(settings, null, 2)}\n`);
  }

  /** Adds a line to the log file, which is never larger than 2 MiB with its predecessor. Never throws. */
  log(what: string, now: number): void {
    try {
      mkdirSync(dirname(this.logPath), { recursive: true, mode: 0o700 });
      if ((statSync(this.logPath, { throwIfNoEntry: false })?.size ?? 0) > MAX_LOG_BYTES) {
        renameSync(this.logPath, `${this.logPath}.1`);
      }
      const line = `${new Date(now).toISOString()} ${what.replace(/\s+/g, ' ')}\n`;
      appendFileSync(this.logPath, line, { mode: 0o600 });
    } catch {
      // A full or read-only disk: there is nowhere left to say so, and the assistant must not notice.
    }
  }
}
