import { ApiError, answerOf, createLineprintClient } from './client';

function clientThat(answer: Response, apiKey: string | (() => string | undefined) = 'lp_key') {
  const sent: Request[] = [];
  const client = createLineprintClient({
    baseUrl: 'http://lineprint.test',
    apiKey,
    fetch: (request) => {
      sent.push(request);
      return Promise.resolve(answer.clone());
    },
  });
  return { client, sent };
}

describe('the client', () => {
  it('sends the parameters and the key, and answers what came', async () => {
    const { client, sent } = clientThat(Response.json({ commits: 2, merges: 1 }));
    const query = { repository: 'acme/shop' };
    const { merges } = await answerOf(client.GET('/api/v1/summary/commits', { params: { query } }));
    expect(merges).toBe(1);
    expect(sent[0]?.url).toBe('http://lineprint.test/api/v1/summary/commits?repository=acme%2Fshop');
    expect(sent[0]?.headers.get('authorization')).toBe('Bearer lp_key');
  });

  it('asks for the key with each request, and sends none where there is none', async () => {
    const keys = [undefined, 'lp_new'];
    const { client, sent } = clientThat(Response.json({}), () => keys.shift());
    await client.GET('/api/v1/policies');
    await client.GET('/api/v1/policies');
    expect(sent.map(({ headers }) => headers.get('authorization'))).toEqual([null, 'Bearer lp_new']);
  });

  it('throws a problem with its code and its words', async () => {
    const problem = {
      type: 'urn:lineprint:problem:policy-unknown',
      title: 'No such policy',
      status: 404,
      code: 'policy-unknown',
      detail: 'This organisation has no policy x.',
    };
    const { client } = clientThat(Response.json(problem, { status: 404 }));
    const call = answerOf(client.GET('/api/v1/policies/{id}', { params: { path: { id: 'x' } } }));
    await expect(call).rejects.toMatchObject({ code: 'policy-unknown', message: problem.detail, problem });
    await expect(call).rejects.toBeInstanceOf(ApiError);
  });

  it('says of what is no answer of Lineprint that it is none', async () => {
    const { client } = clientThat(new Response('<h1>Bad gateway</h1>', { status: 502 }));
    await expect(answerOf(client.GET('/api/v1/policies'))).rejects.toMatchObject({
      status: 502,
      code: 'not-a-problem',
      problem: null,
    });
  });
});
