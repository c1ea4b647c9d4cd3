import { Injectable } from '@nestjs/common';
import type { Request } from 'express';

/** Where requests come in that no API key accompanies, because the sender signs their bytes. */
export interface SignedDoor {
  /** E.g. `/webhooks`: everything below it. */
  readonly path: string;
  /** Largest body, bytes. */
  readonly bodyLimit: number;
  /**
   * Decides by its address whether a request is read at all: what strangers send is not.
   * @throws HttpProblem
   */
  admit(path: string): Promise<void>;
}

/** A request of a signed door: the bytes as they came, since a signature is over nothing else. */
export type SignedRequest = Request & { rawBody: Buffer };

/** The doors of a process, which its modules name. */
@Injectable()
export class SignedRequests {
  private readonly doors: SignedDoor[] = [];

  register(door: SignedDoor): void {
    this.doors.push(door);
  }

  doorOf(path: string): SignedDoor | undefined {
    return this.doors.find((door) => path.startsWith(`${door.path}/`));
  }
}
