import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { colourOf, contrast, distance, eyeNames } from './colours.ts'

const assets = join(import.meta.dirname, '../../../../console/assets')
const styles = ['base.css', 'transcript/transcript.css'].map((name) => readFileSync(join(assets, name), 'utf8')).join()
const pairs = [...styles.matchAll(/--([\w-]+): light-dark\((#[\da-f]+), (#[\da-f]+)\)/g)]
const speakers = Array.from({ length: 6 }, (_, index) => `speaker-${index + 1}`)

describe.each([
  ['light', 2],
  ['dark', 3],
])('in %s mode', (_mode, group) => {
  const colours = new Map(pairs.map((pair) => [pair[1], colourOf(pair[group] ?? '')]))
  const colour = (name: string) => colours.get(name) ?? expect.fail(`${name} has no colour`)

  test.each(speakers)('the name in the colour %s can be read, in a line that is spoken too', (speaker) => {
    for (const ground of ['surface', 'wash'])
      expect(contrast(colour(speaker), colour(ground))).toBeGreaterThanOrEqual(4.5)
  })

  test.each(eyeNames)('two colours of speakers differ for eyes with %s colours', (eye) => {
    for (const one of speakers)
      for (const other of speakers)
        if (one < other) expect(distance(eye, colour(one), colour(other)), `${one}, ${other}`).toBeGreaterThan(0.1)
  })
})
