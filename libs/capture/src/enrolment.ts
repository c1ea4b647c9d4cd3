import type { CaptureSettings, CaptureState } from './capture-state';
import { LineprintClient } from './client';

/** What a developer decides of an enrolment; the organisation's part is fetched. */
export type EnrolmentRequest = Pick<CaptureSettings, 'url' | 'apiKey' | 'userId' | 'projectId' | 'sendCode'>;

/**
 * Enrols this machine: fetches the organisation's line key and keeps it with the address and the API key.
 * @throws ClientRefusal, ClientUnavailable
 */
export async function enrol(state: CaptureState, request: EnrolmentRequest): Promise<CaptureSettings> {
  const { url, apiKey } = request;
  const { orgId, keyId, lineKey, rawCode } = await new LineprintClient({
    url,
    apiKey,
    retries: 1,
  }).enrolment();
  const settings = { ...request, orgId, keyId, lineKey, rawCode: rawCode ?? false, enrolledAt: Date.now() };
  state.saveSettings(settings);
  return settings;
}
