import { expect } from 'vitest'

/**
 * Compares what a snippet printed with what its guide shows: `…` stands for any text, or for any further fields of a
 * JSON object on a line of its own. JSON is compared as a value.
 */
export const expectOutput = (printed: string, shown: { language: string; text: string }): void => {
  if (shown.language === 'json') expect(JSON.parse(printed)).toEqual(expectedValue(parsedWithGaps(shown.text)))
  else expect(normal(printed)).toMatch(patternOf(normal(shown.text)))
}

/** Shells and terminals differ in line ends. */
const normal = (text: string): string => text.replaceAll('\r', '').trim()

const patternOf = (shown: string): RegExp => {
  const literals = shown.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${literals.join('[^]*?')}$`)
}

const GAP = '…'

const parsedWithGaps = (text: string): unknown => JSON.parse(text.replace(/^\s*…$/gm, `"${GAP}": true`))

const expectedValue = (shown: unknown): unknown => {
  if (typeof shown === 'string') return shown.includes(GAP) ? expect.stringMatching(patternOf(shown)) : shown
  if (typeof shown === 'number') return expect.any(Number)
  if (Array.isArray(shown)) return shown.map(expectedValue)
  if (shown === null || typeof shown !== 'object') return shown
  const { [GAP]: hasGap, ...fields } = shown as Record<string, unknown>
  const expected = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, expectedValue(value)]))
  return hasGap ? expect.objectContaining(expected) : expected
}
