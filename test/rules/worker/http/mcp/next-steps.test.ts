import { expect, test } from 'vitest'
import { failureCodes } from '../../../../../domain/codes/failures.ts'
import { refusals } from '../../../../../domain/codes/refusals.ts'
import { nextStep, type Problem } from '../../../../../worker/http/mcp/problems.ts'

const unknown = nextStep('A_CODE_OF_ANOTHER_VERSION')

test.each([...failureCodes, ...Object.keys(refusals)])('%s has a sentence on what to do', (code) => {
  expect(nextStep(code)).toMatch(/^[A-Z].*\.$/)
  expect(nextStep(code)).not.toMatch(/undefined|null|NaN/)
})

test('a code of another version has one, too', () => {
  expect(unknown).toBe('Call the tool again in a few minutes.')
})

const quote = { costDollars: 0.236, isEstimate: false }

test.each<[string, Problem, string]>([
  [
    'TRANSCRIPTION_PROVIDER_REQUIRED',
    { quote, maxCostDollars: 0.5 },
    'The built-in engine would cost $0.236: call transcribe with provider "builtin".',
  ],
  [
    'TRANSCRIPTION_PROVIDER_REQUIRED',
    { quote, maxCostDollars: 0.1 },
    'The built-in engine would cost $0.236: call transcribe with provider "builtin" and max_cost_dollars 0.24.',
  ],
  [
    'TRANSCRIPTION_PROVIDER_REQUIRED',
    { quote: { ...quote, isEstimate: true }, maxCostDollars: 0.1 },
    'The built-in engine would cost about $0.236: call transcribe with provider "builtin" and max_cost_dollars 0.26.',
  ],
  [
    'MAX_COST_EXCEEDED',
    { quote: { costDollars: 0.74, isEstimate: false }, maxCostDollars: 0.5 },
    'It would cost $0.74. If the user agrees, call transcribe with max_cost_dollars 0.74.',
  ],
  [
    'TRANSCRIPTION_PROVIDER_REQUIRED',
    { quote, maxCostDollars: 0.5, language: 'fr' },
    'look says which languages the captions have. The built-in engine would cost $0.236: call transcribe with provider "builtin".',
  ],
  ['TIMED_OUT', { tool: 'import_media' }, 'Call import_media again in a few minutes.'],
  ['RATE_LIMITED', { retryAfter: 120 }, 'Call the tool again in 120 seconds.'],
  [
    'INSUFFICIENT_BALANCE',
    { requiredDollars: 0.03, availableDollars: 0 },
    'Tell the user to add credit, or take a shorter part or a lower quality of the media. $0.03 is required and $0.00 is available.',
  ],
])('%s with %j says: %s', (code, problem, sentence) => {
  expect(nextStep(code, problem)).toBe(sentence)
})
