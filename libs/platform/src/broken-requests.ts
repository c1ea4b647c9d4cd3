import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { HttpProblem } from './errors';
import { toProblem } from './problem-filter';

/**
 * Answers what is no HTTP with a problem, too: Node gives such requests to nobody, and answers them without a word.
 */
export function answerBrokenRequests(server: Server): void {
  const answers = new WeakMap<object, ServerResponse>();
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    answers.set(request.socket, response);
  });
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const problem = toProblem(EXPECTATION_UNKNOWN);
    response.writeHead(problem.status, { 'content-type': CONTENT_TYPE, connection: 'close' });
    response.end(JSON.stringify(problem));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const answer = answers.get(socket);
    const isUnderWay = answer !== undefined && answer.headersSent && !answer.writableFinished;
    // A second answer in the middle of another would be taken for a part of it.
    if (socket.writable && !isUnderWay) socket.write(answerText(problemOf(error.code)));
    socket.destroy(error);
  });
}

const CONTENT_TYPE = 'application/problem+json; charset=utf-8';

const EXPECTATION_UNKNOWN = new HttpProblem(
  417,
  'expectation-unknown',
  'Expectation Failed',
  'No expectation but `100-continue` is known here. Send the request without.',
);

function problemOf(code: string | undefined): HttpProblem {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new HttpProblem(
        431,
        'headers-too-large',
        'Request Header Fields Too Large',
        'The headers are larger than this server reads. Send fewer.',
      );
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new HttpProblem(
        413,
        'body-too-large',
        'Content Too Large',
        'The extensions of the chunks are larger than this server reads. Send none.',
      );
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new HttpProblem(408, 'request-timeout', 'Request Timeout', 'The request did not end in time.');
    default:
      return new HttpProblem(400, 'request-malformed', 'Bad Request', 'This is no HTTP request.');
  }
}

function answerText(error: HttpProblem): string {
  const body = JSON.stringify(toProblem(error));
  return [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    `Content-Type: ${CONTENT_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
