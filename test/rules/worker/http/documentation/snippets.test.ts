import { expect, test } from 'vitest'
import { factsOf, withFacts } from '../../../../../worker/http/documentation/guides/facts.ts'
import { blocksOf } from '../../../../../worker/http/documentation/guides/render.ts'
import { guideIds, sourceOf } from '../../../../further/product/guides/snippets.ts'
import { defaultTerms } from '../../../../support/default-terms.ts'

const fenced = (info: string, text: string) => `\`\`\`${info}\n${text}\n\`\`\`\n`

test('code blocks that follow each other are a group, and an output belongs to the snippet before it', () => {
  const markdown = `${fenced('sh curl', 'a')}${fenced('text output', 'A')}\n${fenced('ts typescript', 'b')}\nText.\n\n${fenced('sh', 'c')}`
  expect(blocksOf(markdown)).toMatchObject([
    {
      snippets: [
        { door: 'curl', language: 'sh', text: 'a', output: { language: 'text', text: 'A' } },
        { door: 'typescript', text: 'b', output: null },
      ],
    },
    { tokens: [{ type: 'paragraph' }] },
    { snippets: [{ door: null, text: 'c' }] },
  ])
})

test.each([
  ['an unknown door', fenced('sh ruby', 'a')],
  ['an output without a snippet', fenced('text output', 'a')],
  ['two outputs of a snippet', fenced('sh', 'a') + fenced('text output', 'b') + fenced('text output', 'c')],
])('%s is an error', (_, markdown) => {
  expect(() => blocksOf(markdown)).toThrow()
})

test('a guide may only name facts that exist', () => {
  const site = { baseUrl: 'https://haul.test', terms: defaultTerms }
  expect(withFacts('{{base-url}}, {{retention-days}}', site)).toBe('https://haul.test, 7 days')
  expect(() => withFacts('{{nothing}}', site)).toThrow('{{nothing}}')
})

test('every fact is used by a guide', () => {
  const guides = guideIds.map(sourceOf).join()
  expect(Object.keys(factsOf(defaultTerms)).filter((name) => !guides.includes(`{{${name}}}`))).toEqual([])
})

test('no group of a guide has a door twice', () => {
  for (const id of guideIds) {
    for (const block of blocksOf(sourceOf(id))) {
      const doors = 'snippets' in block ? block.snippets.map(({ door }) => door) : []
      expect(new Set(doors).size).toBe(doors.length)
    }
  }
})
