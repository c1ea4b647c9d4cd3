import { appendedTexts } from './here-documents';

describe('appendedTexts', () => {
  it('gives what a here document appends to a file, whichever of mark and path comes first', () => {
    const expected = [{ path: 'src/a_test.go', text: '\nfunc TestA() {\n\tfmt.Println("$HOME")\n}\n' }];
    const body = '\nfunc TestA() {\n\tfmt.Println("$HOME")\n}\nEOF\ngo test ./...';
    expect(appendedTexts(`cat >> src/a_test.go << 'EOF'\n${body}`)).toEqual(expected);
    expect(appendedTexts(`cat <<"EOF" >>'src/a_test.go'\n${body}`)).toEqual(expected);
  });

  it('gives each of several', () => {
    const command = "cat >> a.py <<'ONE'\nx = 1\nONE\ncat >> \"b c.py\" <<'TWO'\ny = 2\nTWO";
    expect(appendedTexts(command)).toEqual([
      { path: 'a.py', text: 'x = 1\n' },
      { path: 'b c.py', text: 'y = 2\n' },
    ]);
  });

  it('leaves out what the shell would replace, but takes a plain text without quotes around the mark', () => {
    expect(appendedTexts('cat >> a.py <<EOF\nhome = "$HOME"\nEOF')).toEqual([]);
    expect(appendedTexts('cat >> a.py <<EOF\nx = 1\nEOF')).toEqual([{ path: 'a.py', text: 'x = 1\n' }]);
    expect(appendedTexts('cat >> "$FILE" <<\'EOF\'\nx = 1\nEOF')).toEqual([]);
  });

  it('does not guess where a relative path is after the folder was changed', () => {
    expect(appendedTexts("cd src\ncat >> a.py <<'EOF'\nx = 1\nEOF")).toEqual([]);
    expect(appendedTexts("cd src\ncat >> /app/a.py <<'EOF'\nx = 1\nEOF")).toHaveLength(1);
    expect(appendedTexts("cat >> a.sh <<'EOF'\ncd src\nEOF\ncat >> b.sh <<'EOF'\nls\nEOF")).toHaveLength(1);
  });

  it('gives nothing of a file that is overwritten, of other commands, and of a document that does not end', () => {
    expect(appendedTexts("cat > a.py <<'EOF'\nx = 1\nEOF")).toEqual([]);
    expect(appendedTexts("python3 - <<'EOF'\nprint(1)\nEOF")).toEqual([]);
    expect(appendedTexts("cat >> a.py <<'EOF'\nx = 1")).toEqual([]);
  });
});
