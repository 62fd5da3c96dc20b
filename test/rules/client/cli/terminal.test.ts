import { describe, expect, test, vi } from 'vitest'
import { painter, printable, printableJson, printableLines } from '../../../../client/cli/terminal/output.ts'
import { progressLine, progressText } from '../../../../client/cli/terminal/progress.ts'
import { bytesText, dollarsText, durationText } from '../../../../client/cli/terminal/quantities.ts'
import { columnsOf, cutToColumns, tableLines } from '../../../../client/cli/terminal/table.ts'

const ESC = '\u001b'

describe('text from strangers', () => {
  test.each([
    [`a ${ESC}[31mred${ESC}[0m title`, 'a red title'],
    [`${ESC}]0;window title\u0007film`, 'film'],
    [`${ESC}]8;;https://evil.test\u0007film${ESC}]8;;\u0007`, 'film'],
    ['two\nlines\tand\rmore', 'two lines and more'],
    ['c1 \u009b31m codes', 'c1 codes'],
    ['back\u202egnp.exe', 'backgnp.exe'],
    ['bell\u0007 and \u0000 zero', 'bell and  zero'],
    ['👨‍👩‍👧 family, español, 日本語', '👨‍👩‍👧 family, español, 日本語'],
  ])('%j is shown as %j', (text, shown) => expect(printable(text)).toBe(shown))

  test('a transcript keeps its lines, and nothing else that moves the cursor', () => {
    expect(printableLines(`one\r\ntwo\tthree\r${ESC}[2Jfour\u0008`)).toBe('one\ntwo\tthree\nfour')
  })

  test('JSON means the same when its control characters are escaped', () => {
    const value = { title: `a ${ESC}[2J\u009b \u202e \u2028 text` }
    const text = printableJson(value)
    expect(JSON.parse(text)).toEqual(value)
    expect(text).toMatch(/^[\u0020-\u007e]*$/)
  })
})

test.each([
  [true, '', 'xterm', `${ESC}[1mtext${ESC}[22m`],
  [true, '1', 'xterm', 'text'],
  [true, '', 'dumb', 'text'],
  [false, '', 'xterm', 'text'],
])('colors need a terminal (%s) without NO_COLOR (%j) that has them (%s)', (isTTY, noColor, term, painted) => {
  vi.stubEnv('NO_COLOR', noColor)
  vi.stubEnv('TERM', term)
  expect(painter({ isTTY })('bold', 'text')).toBe(painted)
  vi.unstubAllEnvs()
})

describe('columns', () => {
  test.each([
    ['abc', 3],
    ['日本', 4],
    ['👨‍👩‍👧', 2],
    ['e\u0301', 1],
    ['❤️', 2],
    ['', 0],
  ])('%s takes %d columns', (text, columns) => expect(columnsOf(text)).toBe(columns))

  test.each([
    ['a long title', 20, 'a long title'],
    ['a long title', 8, 'a long…'],
    ['日本語の題', 6, '日本…'],
    ['👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧', 4, '👨‍👩‍👧…'],
    ['abc', 0, ''],
  ])('%s in %d columns is %s', (text, columns, cut) => expect(cutToColumns(text, columns)).toBe(cut))
})

describe('quantities', () => {
  test.each([
    [0, '0 B'],
    [999, '999 B'],
    [1_000, '1.0 kB'],
    [999_949, '999.9 kB'],
    [999_960, '1.0 MB'],
    [15_342_100, '15.3 MB'],
    [2_000_000_000_000_000, '2000.0 TB'],
  ])('%d bytes are %s', (bytes, text) => expect(bytesText(bytes)).toBe(text))

  test.each([
    [0, '0:00'],
    [59.6, '1:00'],
    [754, '12:34'],
    [3_723, '1:02:03'],
  ])('%d seconds are %s', (seconds, text) => expect(durationText(seconds)).toBe(text))

  test.each([
    [0, '$0.00'],
    [9.8466, '$9.85'],
    [0.24, '$0.24'],
    [0.05, '$0.05'],
    [0.003069, '$0.0031'],
    [0.000001, '$0.000001'],
    [-0.5, '-$0.50'],
  ])('%d dollars are %s', (dollars, text) => expect(dollarsText(dollars)).toBe(text))
})

describe('tables', () => {
  const columns = [{ title: 'Job' }, { title: 'Title', isFlexible: true }, { title: 'Cost', align: 'right' }] as const
  const rows = [
    ['imp_1', `A title of${ESC}[31m a long film`, '$0.15'],
    ['imp_22', '短い', '$12.00'],
  ]

  test('columns are aligned, also below wide characters', () => {
    expect(tableLines(columns, rows)).toEqual([
      'Job     Title                     Cost',
      'imp_1   A title of a long film   $0.15',
      'imp_22  短い                    $12.00',
    ])
  })

  test.each([30, 35])('lines fit %d columns, and only the flexible column is cut', (maxColumns) => {
    const lines = tableLines(columns, rows, maxColumns)
    expect(lines.map(columnsOf).every((width) => width <= maxColumns)).toBe(true)
    expect(lines[1]).toMatch(/^imp_1 {3}A title.*… +\$0\.15$/)
  })

  test('the widest of several flexible columns is cut first', () => {
    const both = [
      { title: 'URL', isFlexible: true },
      { title: 'Message', isFlexible: true },
    ] as const
    expect(tableLines(both, [['https://example.com', 'A message of thirty characters']], 40)[1]).toBe(
      'https://example.com  A message of thirt…',
    )
  })
})

describe('the text of progress', () => {
  const downloading = {
    stage: 'downloading',
    percent: 45.9,
    downloadedBytes: 12_300_000,
    totalBytes: 27_000_000,
    bytesPerSecond: 3_100_000,
    etaSeconds: 5,
  }

  test('a wide terminal shows everything', () => {
    expect(progressText(downloading, 4, 100)).toBe(
      'Downloading   45 %  [==========>             ]  12.3 MB of 27.0 MB  3.1 MB/s  0:05 left',
    )
  })

  test('a narrow terminal shows what fits, the stage and the percentage first', () => {
    for (let columns = 5; columns <= 100; columns++) {
      expect(columnsOf(progressText(downloading, 4, columns))).toBeLessThanOrEqual(columns)
    }
    expect(progressText(downloading, 4, 20)).toBe('Downloading   45 %')
  })

  test('a plain line has no bar', () => {
    expect(progressText(downloading, 4)).toBe('Downloading   45 %  12.3 MB of 27.0 MB  3.1 MB/s  0:05 left')
  })

  test('without a percentage the clock runs', () => {
    expect(progressText({ stage: 'queued', percent: null }, 65.2, 80)).toBe('Queued  1:05')
  })
})

describe('the progress line', () => {
  const stream = (isTTY: boolean, columns = 40) => {
    const written: string[] = []
    return { isTTY, columns, written, write: (text: string) => written.push(text) }
  }

  test('a terminal redraws one line of at most its width, ten times a second, and it is gone at the end', () => {
    vi.stubEnv('TERM', 'xterm')
    const terminal = stream(true)
    let now = 0
    const line = progressLine(terminal, { now: () => now })
    for (; now < 1_000; now += 10) line.show(() => 'x'.repeat(100))
    expect(terminal.written).toHaveLength(10)
    for (const text of terminal.written) expect(text).toBe(`\r${ESC}[2K${'x'.repeat(38)}…`)
    line.note('Saved talk.mp4')
    expect(terminal.written.slice(10)).toEqual([`\r${ESC}[2K`, 'Saved talk.mp4\n', `\r${ESC}[2K${'x'.repeat(38)}…`])
    line.end()
    expect(terminal.written.at(-1)).toBe(`\r${ESC}[2K`)
    vi.unstubAllEnvs()
  })

  test('without a terminal a plain line comes after a second, and then at most every five', () => {
    const log = stream(false)
    let now = 0
    const line = progressLine(log, { now: () => now })
    for (; now < 12_000; now += 100) line.show(() => `at ${now}`)
    line.end()
    expect(log.written).toEqual(['at 1000\n', 'at 6000\n', 'at 11000\n'])
  })

  test('with --quiet no progress is shown', () => {
    const log = stream(false)
    progressLine(log, { isQuiet: true }).show(() => 'progress')
    expect(log.written).toEqual([])
  })
})
