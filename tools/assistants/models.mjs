/**
 * A stand-in for the makers of models, on 127.0.0.1: it speaks the three protocols that assistants speak (OpenAI's chat
 * completions and responses, Anthropic's messages; each streamed) and asks for tools as a script says.
 */
import { createServer } from 'node:http';

/**
 * @typedef {object} Turn what a model answers
 * @property {string} [text]
 * @property {string} [tool] name of a tool that is called
 * @property {Record<string, unknown> | string} [args] text for a tool that takes text
 *
 * @typedef {object} Asked what an assistant's request says, whatever its protocol
 * @property {string} path
 * @property {string} model
 * @property {string} prompt everything that was said in the user's name
 * @property {string[]} tools names of those that may be called
 * @property {number} results of tools, so far in this conversation
 */

/**
 * @param {(asked: Asked) => Turn} answer
 * @returns {Promise<{url: string, requests: (Asked & {time: number})[], close: () => Promise<void>}>} url without a path, times in milliseconds
 */
export async function startModels(answer) {
  const requests = [];
  let count = 0;
  const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const path = new URL(request.url, 'http://localhost').pathname;
      const protocol = Object.entries(protocols).find(([end]) => path.endsWith(end))?.[1];
      if (request.method !== 'POST' || !protocol) {
        // Lists of models, counts of tokens: assistants do without.
        response
          .writeHead(404, { 'content-type': 'application/json' })
          .end('{"error":{"message":"not here"}}');
        return;
      }
      const body = JSON.parse(Buffer.concat(chunks).toString('utf8'));
      const asked = { path, model: body.model, ...protocol.read(body) };
      requests.push({ ...asked, time: performance.now() });
      const turn = answer(asked);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const event of protocol.write(turn, `${++count}`.padStart(6, '0'), body)) {
        if (event.type && protocol.named) response.write(`event: ${event.type}\n`);
        response.write(`data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`);
      }
      response.end();
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    requests,
    close: () => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve))),
  };
}

const textOf = (content) =>
  typeof content === 'string' ? content : (content ?? []).map((part) => part.text ?? '').join('\n');
const argsText = (args) => (typeof args === 'string' ? args : JSON.stringify(args));

const chat = {
  read: ({ messages, tools = [] }) => ({
    prompt: messages.flatMap(({ role, content }) => (role === 'user' ? [textOf(content)] : [])).join('\n'),
    tools: tools.map((tool) => tool.function.name),
    results: messages.filter(({ role }) => role === 'tool').length,
  }),
  *write({ text, tool, args }, id, { model }) {
    const chunk = (delta, finish_reason = null) => ({
      ...{ id: `chatcmpl-${id}`, object: 'chat.completion.chunk', created: 1, model },
      choices: [{ index: 0, delta, finish_reason }],
    });
    const call = { index: 0, id: `call_${id}`, type: 'function' };
    yield chunk(
      tool
        ? {
            role: 'assistant',
            tool_calls: [{ ...call, function: { name: tool, arguments: argsText(args) } }],
          }
        : { role: 'assistant', content: text },
    );
    yield {
      ...chunk({}, tool ? 'tool_calls' : 'stop'),
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    };
    yield '[DONE]';
  },
};

const responses = {
  named: true,
  read: ({ input, tools = [] }) => ({
    prompt: input.flatMap(({ role, content }) => (role === 'user' ? [textOf(content)] : [])).join('\n'),
    tools: tools.flatMap(({ name, type, tools: members = [] }) =>
      members.length > 0 ? members.map((member) => `${name}.${member.name}`) : [name ?? type],
    ),
    results: input.filter(({ type }) => /^(function|custom_tool)_call_output$/.test(type)).length,
  }),
  *write({ text, tool, args }, id) {
    const [name, namespace] = (tool ?? '').split('.').reverse();
    const call = { id: `item_${id}`, call_id: `call_${id}`, status: 'completed', name, namespace };
    const item = !tool
      ? { type: 'message', role: 'assistant', id: `msg_${id}`, content: [{ type: 'output_text', text }] }
      : typeof args === 'string'
        ? { type: 'custom_tool_call', ...call, input: args }
        : { type: 'function_call', ...call, arguments: argsText(args) };
    yield { type: 'response.created', response: { id: `resp_${id}` } };
    yield { type: 'response.output_item.added', output_index: 0, item };
    yield { type: 'response.output_item.done', output_index: 0, item };
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
    yield { type: 'response.completed', response: { id: `resp_${id}`, usage } };
  },
};

const messages = {
  named: true,
  read: ({ messages: said, tools = [] }) => {
    const parts = said.flatMap(({ role, content }) =>
      role !== 'user' ? [] : typeof content === 'string' ? [{ type: 'text', text: content }] : content,
    );
    return {
      prompt: parts.flatMap(({ type, text }) => (type === 'text' ? [text] : [])).join('\n'),
      tools: tools.map(({ name }) => name),
      results: parts.filter(({ type }) => type === 'tool_result').length,
    };
  },
  *write({ text, tool, args }, id, { model }) {
    const usage = { input_tokens: 1, output_tokens: 1 };
    const message = { id: `msg_${id}`, type: 'message', role: 'assistant', model, content: [], usage };
    yield { type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null } };
    yield {
      ...{ type: 'content_block_start', index: 0 },
      content_block: tool
        ? { type: 'tool_use', id: `toolu_${id}`, name: tool, input: {} }
        : { type: 'text', text: '' },
    };
    const delta = tool
      ? { type: 'input_json_delta', partial_json: argsText(args) }
      : { type: 'text_delta', text };
    yield { type: 'content_block_delta', index: 0, delta };
    yield { type: 'content_block_stop', index: 0 };
    const stop_reason = tool ? 'tool_use' : 'end_turn';
    yield { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage };
    yield { type: 'message_stop' };
  },
};

/** By the end of the path. */
const protocols = { '/chat/completions': chat, '/responses': responses, '/messages': messages };
