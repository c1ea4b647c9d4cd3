import { type RealRepository, suggested, typed, Workbench } from './real-repository';

jest.setTimeout(60_000);

const crlf = (text: string) => text.replaceAll('\n', '\r\n');
const BOM = '\ufeff';

describe('text in git', () => {
  let bench: Workbench;
  let repository: RealRepository;
  beforeAll(async () => {
    bench = await Workbench.start();
  });
  afterAll(() => bench.stop());
  beforeEach(async () => {
    repository = await bench.repository();
  });

  it('with CRLF line ends is the assistant’s that wrote it with LF, and the other way round', async () => {
    repository.capture('src/a.ts', '', suggested('Tide'));
    repository.write('src/a.ts', crlf(suggested('Tide')));
    repository.capture('src/b.ts', '', crlf(suggested('Berth')));
    repository.write('src/b.ts', suggested('Berth'));
    const sha = repository.commit();
    await repository.push();
    expect(await repository.verdict(sha)).toEqual({ 'src/a.ts': '9 ai', 'src/b.ts': '9 ai' });
  });

  it('that core.autocrlf stores with LF and shows with CRLF is the assistant’s', async () => {
    repository.git('config', 'core.autocrlf', 'true');
    repository.write('src/a.ts', crlf(typed('Quay')));
    repository.commit();
    repository.accept('src/a.ts', crlf(typed('Quay') + suggested('Tide')));
    const sha = repository.commit();
    expect(repository.git('cat-file', 'blob', 'HEAD:src/a.ts')).not.toContain('\r');
    await repository.push();
    expect(await repository.verdict(sha)).toEqual({ 'src/a.ts': '9 ai' });
  });

  it('whose line ends are converted adds nothing but inherited lines', async () => {
    repository.accept('src/a.ts', suggested('Tide') + typed('Quay'));
    repository.commit();
    repository.write('src/a.ts', crlf(repository.read('src/a.ts')));
    const toCrlf = repository.commit();
    repository.write('.gitattributes', '* text=auto eol=lf\n');
    repository.git('add', '--renormalize', '.');
    const toLf = repository.commit();
    await repository.push();
    expect(await repository.verdict(toCrlf)).toEqual({ 'src/a.ts': '14 inherited' });
    expect(await repository.verdict(toLf)).toEqual({
      '.gitattributes': '1 human',
      'src/a.ts': '14 inherited',
    });
  });

  it('behind a byte order mark is the assistant’s, its first line too', async () => {
    repository.accept('src/seen.ts', BOM + suggested('Tide'));
    repository.capture('src/unseen.ts', '', suggested('Berth'));
    repository.write('src/unseen.ts', BOM + suggested('Berth'));
    const sha = repository.commit();
    await repository.push();
    expect(await repository.verdict(sha)).toEqual({ 'src/seen.ts': '9 ai', 'src/unseen.ts': '9 ai' });
  });

  it('that gets or loses a byte order mark inherits its first line', async () => {
    repository.write('src/a.ts', typed('Quay'));
    repository.commit();
    repository.write('src/a.ts', BOM + typed('Quay'));
    const got = repository.commit();
    repository.write('src/a.ts', typed('Quay'));
    const lost = repository.commit();
    await repository.push();
    expect(await repository.verdict(got)).toEqual({ 'src/a.ts': '1 inherited' });
    expect(await repository.verdict(lost)).toEqual({ 'src/a.ts': '1 inherited' });
  });

  it('in Latin-1 is the assistant’s, lines with letters beyond ASCII too', async () => {
    const text = suggested('Tide').replaceAll('Rows', 'Größe').replaceAll('Age', 'Höhe');
    repository.accept('src/a.ts', text, 'latin1');
    const sha = repository.commit();
    expect(repository.read('src/a.ts')).toContain('\ufffd');
    await repository.push();
    expect(await repository.verdict(sha)).toEqual({ 'src/a.ts': '9 ai' });
  });

  it('in Latin-1 whose neighbours change keeps its lines: only the edit is new', async () => {
    const text = typed('Quay').replaceAll('less of', 'größere');
    repository.write('src/a.ts', Buffer.from(text, 'latin1'));
    repository.commit();
    repository.accept('src/a.ts', text + suggested('Tide').replaceAll('Rows', 'Größe'), 'latin1');
    const sha = repository.commit();
    repository.write('src/a.ts', Buffer.from(crlf(text), 'latin1'));
    const converted = repository.commit();
    await repository.push();
    expect(await repository.verdict(sha)).toEqual({ 'src/a.ts': '9 ai' });
    expect(await repository.verdict(converted)).toEqual({ 'src/a.ts': '5 inherited' });
  });

  it('that is converted from Latin-1 to UTF-8 inherits its lines', async () => {
    const text = typed('Quay').replaceAll('less of', 'größere');
    repository.write('src/a.ts', Buffer.from(text, 'latin1'));
    repository.commit();
    repository.write('src/a.ts', text);
    const converted = repository.commit();
    await repository.push();
    expect(await repository.verdict(converted)).toEqual({ 'src/a.ts': '1 inherited' });
  });

  it('without a line end at its end inherits its last line when something is put behind it', async () => {
    const open = `${typed('Quay')}mount(QuayPanel);`;
    repository.write('src/a.ts', open);
    repository.commit();
    repository.accept('src/a.ts', `${open}\n${suggested('Tide')}start(loadTide);`);
    const appended = repository.commit();
    repository.write('src/a.ts', `${repository.read('src/a.ts')}\n`);
    const ended = repository.commit();
    await repository.push();
    expect(await repository.verdict(appended)).toEqual({ 'src/a.ts': '10 ai, 1 inherited' });
    expect(await repository.verdict(ended)).toEqual({ 'src/a.ts': '1 inherited' });
  });

  it('that a formatter indents anew is inherited', async () => {
    repository.accept('src/a.ts', suggested('Tide'));
    repository.commit();
    repository.write('src/a.ts', suggested('Tide').replaceAll('  ', '\t\t'));
    const formatted = repository.commit();
    await repository.push();
    expect(await repository.verdict(formatted)).toEqual({ 'src/a.ts': '7 inherited' });
  });
});
