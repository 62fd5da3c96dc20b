import { describe, expect, test } from 'vitest'
import { ceilingAfter, commandWithCeiling, priceSentence } from '../../../../client/cli/ceilings.ts'
import { countsText, exitCodeOfBatch, problemLines } from '../../../../client/cli/commands/batch.ts'
import { exitCodeOf, Interrupted, UsageError } from '../../../../client/cli/exit-codes.ts'
import { DownloadError } from '../../../../client/cli/files/download.ts'
import { errorLines } from '../../../../client/cli/terminal/error-text.ts'
import {
  type Batch,
  type BatchItem,
  HaulApiError,
  HaulConnectionError,
  HaulJobError,
  HaulTimeoutError,
} from '../../../../client/src/index.ts'

const refusal = (status: number, code = 'CODE', more: object = {}) =>
  new HaulApiError(status, { error: 'A sentence.', code, requestId: 'req_1', ...more })
const failure = (code: string, more: object = {}) =>
  new HaulJobError({ jobId: 'imp_1', message: 'A sentence.', code: code as never, retryable: false, ...more })

describe('exit codes', () => {
  test.each([400, 401, 403, 404, 409, 410, 413, 422])('a refusal with %d is 2', (status) =>
    expect(exitCodeOf(refusal(status))).toBe(2),
  )
  test.each([429, 500, 503])('a service that stays busy or broken (%d) is 4', (status) =>
    expect(exitCodeOf(refusal(status))).toBe(4),
  )
  test.each([
    ['a wrong command line', new UsageError('wrong'), 2],
    ['402', refusal(402), 3],
    ['a failed job', failure('SOURCE_PRIVATE'), 1],
    ['a job that needed a provider', failure('TRANSCRIPTION_PROVIDER_REQUIRED'), 1],
    ['a job that ran out of money', failure('INSUFFICIENT_BALANCE'), 3],
    ['a job above its ceiling', failure('MAX_COST_EXCEEDED'), 3],
    ['a job that needs a ceiling', failure('MAX_COST_REQUIRED'), 3],
    ['a job whose provider wants money', failure('PROVIDER_QUOTA'), 3],
    ['a job above the budget of its key', failure('KEY_BUDGET_EXCEEDED'), 3],
    ['a service that cannot be reached', new HaulConnectionError('unreachable'), 4],
    ['a time-out', new HaulTimeoutError(1), 4],
    ['a download that broke', new DownloadError('broken', null), 4],
    ['Ctrl-C', new Interrupted('SIGINT'), 130],
    ['SIGTERM', new Interrupted('SIGTERM'), 143],
    ['an error of the disk', new Error('ENOSPC'), 1],
  ])('%s', (_, error, code) => expect(exitCodeOf(error)).toBe(code))
})

describe('what is said about an error', () => {
  test('a refusal is shown as its sentence, its code and the id of the request', () => {
    expect(errorLines(refusal(400, 'UNREACHABLE_URL'))).toEqual(['A sentence. (UNREACHABLE_URL, req_1)'])
  })
  test('the first wrong field is in the sentence, and the others follow', () => {
    const details = [1, 2].map((index) => ({ path: `field${index}`, message: 'must be a number' }))
    const error = refusal(400, 'INVALID_REQUEST', { error: 'Not valid: field1: must be a number.', details })
    expect(errorLines(error)).toEqual([
      'Not valid: field1: must be a number. (INVALID_REQUEST, req_1)',
      '  field2: must be a number',
    ])
  })
  test('too little money says how much is missing', () => {
    const error = refusal(402, 'INSUFFICIENT_BALANCE', { requiredDollars: 0.3, availableDollars: 0.1 })
    expect(errorLines(error)[1]).toBe('  The job needs $0.30; $0.10 is available.')
  })
  test('a budget that is used up says when the next month begins', () => {
    const resetsAt = new Date(2026, 11, 1).toISOString()
    const error = refusal(402, 'KEY_BUDGET_EXCEEDED', { requiredDollars: 0.3, availableDollars: 0, resetsAt })
    expect(errorLines(error).slice(1)).toEqual([
      '  The job needs $0.30; $0.00 is available.',
      '  The next month of the budget begins at 2026-12-01 00:00.',
    ])
  })
  test('a refused key says what to do', () => {
    expect(errorLines(refusal(401, 'UNAUTHORIZED'))[1]).toBe('  Check HAUL_API_KEY, or run `haul login`.')
  })
  test('the cause of a broken connection is named', () => {
    const cause = new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'ECONNREFUSED' }) })
    expect(errorLines(new HaulConnectionError('No answer.', { cause }))).toEqual(['No answer. (ECONNREFUSED)'])
  })
  test('escape sequences of a message do not reach the terminal', () => {
    const [line] = errorLines(failure('SOURCE_PRIVATE', { message: 'a\u001b[2J\u009bb\nc' }))
    expect(line).toMatch(/^[\u0020-\u007e]*$/)
  })
})

describe('a ceiling that is too low', () => {
  const quote = { estimatedMinutes: 62.2, estimatedCostDollars: 1.24 }

  test.each([
    [0.24, undefined, 0.25],
    [0.25, undefined, 0.25],
    [0.03, undefined, 0.05],
    [0.24, true, 0.3],
  ])('a quote of $%d (estimated: %s) makes --max-cost %d', (estimatedCostDollars, estimated, ceiling) => {
    const given = { estimatedMinutes: 1, estimatedCostDollars, ...(estimated ? { estimated } : {}) }
    expect(ceilingAfter(failure('MAX_COST_EXCEEDED', { quote: given }), 0.01)).toBe(ceiling)
  })

  test.each([
    ['MAX_COST_REQUIRED', undefined, 1],
    ['MAX_COST_EXCEEDED', 1, 2],
  ])('without a quote, %s with --max-cost %s makes --max-cost %d', (code, given, ceiling) =>
    expect(ceilingAfter(failure(code), given)).toBe(ceiling),
  )

  test.each([
    [quote, 1, 'The transcription costs $1.24 (62 minutes), and --max-cost is $1.00.'],
    [
      { ...quote, estimatedMinutes: 1, estimated: true },
      0.5,
      'The transcription costs about $1.24 (1 minute), and --max-cost is $0.50.',
    ],
    [undefined, undefined, 'What the transcription costs is known only after the download, and it needs a --max-cost.'],
  ])('the quote %j with --max-cost %s is said', (given, ceiling, sentence) =>
    expect(priceSentence(given, ceiling)).toBe(sentence),
  )

  test.each(['SOURCE_PRIVATE', 'TRANSCRIPTION_PROVIDER_REQUIRED'])('%s needs no ceiling', (code) => {
    expect(ceilingAfter(failure(code, { quote }), 1)).toBeNull()
  })

  test.each([
    [['transcribe', 'https://a.test/?v=1&w=2'], `haul transcribe 'https://a.test/?v=1&w=2' --max-cost 1.25`],
    [
      ['transcribe', 'URL', '--max-cost', '0.1', '--provider=builtin', '-o', 'a b.srt'],
      `haul transcribe URL --provider=builtin -o 'a b.srt' --max-cost 1.25`,
    ],
    [['transcribe', '--max-cost=0.1', 'URL'], 'haul transcribe URL --max-cost 1.25'],
  ])('after %j comes %s', (words, command) => expect(commandWithCeiling(words, 1.25)).toBe(command))

  test('a file that was uploaded is not uploaded again', () => {
    const uploaded = { file: 'my talk.mp3', uploadId: 'upl_1' }
    expect(commandWithCeiling(['transcribe', 'my talk.mp3'], 1.25, uploaded)).toBe(
      'haul transcribe upl_1 --max-cost 1.25',
    )
  })
})

describe('batches', () => {
  const counts = { total: 5, waiting: 0, running: 0, completed: 5, failed: 0, skipped: 0 }
  const batch = (more: object = {}, changed: object = {}) =>
    ({ status: 'completed', ...more, counts: { ...counts, ...changed } }) as Batch
  const item = (more: object) => ({ index: 0, url: 'https://a.test', status: 'failed', ...more }) as BatchItem

  test('the counts are one line, without zeros', () => {
    const running = batch({ status: 'running' }, { waiting: 1, running: 2, completed: 1, failed: 1 })
    expect(countsText(running)).toBe('1 of 5 done, 1 failed, 2 running, 1 waiting')
    expect(countsText(batch({ status: 'running' }, { total: null }))).toBe('Reading the list')
  })

  test.each([
    ['all have completed', batch(), [], 0],
    ['one has failed', batch({}, { failed: 1 }), [item({ code: 'SOURCE_PRIVATE' })], 1],
    ['the money was short', batch({}, { skipped: 1 }), [item({ status: 'skipped', code: 'INSUFFICIENT_BALANCE' })], 3],
    ['the playlist could not be read', batch({ status: 'failed', code: 'SOURCE_NOT_FOUND' }), [], 1],
    ['it was canceled', batch({ status: 'canceled' }, { skipped: 1 }), [item({ status: 'canceled' })], 1],
  ])('the exit code when %s', (_, ended, items, code) => expect(exitCodeOfBatch(ended, items)).toBe(code))

  test('failed items are a table', () => {
    const items = [item({ index: 12, code: 'UNREACHABLE_URL', message: 'The URL could not be\n reached.' })]
    expect(problemLines(items)).toEqual([
      ' #  URL             Code             Message',
      '12  https://a.test  UNREACHABLE_URL  The URL could not be reached.',
    ])
    expect(problemLines([])).toEqual([])
  })
})
