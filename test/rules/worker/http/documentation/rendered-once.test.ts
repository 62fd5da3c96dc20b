import { expect, test, vi } from 'vitest'
import { defaultTerms } from '../../../../../domain/terms.ts'
import type { Site } from '../../../../../worker/http/documentation/guides/facts.ts'
import { renderedOnce } from '../../../../../worker/http/documentation/rendered-once.ts'

const at = (baseUrl: string): Site => ({ baseUrl, terms: defaultTerms })

test('a document is rendered once, whatever Host headers ask for it', async () => {
  const render = vi.fn(async ({ baseUrl }: Site) => `<a href="${baseUrl}/docs">${baseUrl}</a>`)
  const page = renderedOnce(render)
  expect(await page(at('https://haul.example'))).toBe('<a href="https://haul.example/docs">https://haul.example</a>')
  for (let host = 0; host < 100; host++)
    expect(await page(at(`http://host-${host}`))).toContain(`>http://host-${host}<`)
  expect(await page(at('http://a"$&'))).toBe('<a href="http://a%22$%26/docs">http://a%22$%26</a>')
  expect(render).toHaveBeenCalledOnce()
})

test('a document is rendered again when the operator has set something else', async () => {
  const page = renderedOnce(({ terms }) => `${terms.retentionDays} days`)
  expect(await page(at('http://haul'))).toBe('7 days')
  expect(await page({ baseUrl: 'http://haul', terms: { ...defaultTerms, retentionDays: 30 } })).toBe('30 days')
})

test('a rendering that failed is tried again', async () => {
  const render = vi
    .fn(({ baseUrl }: Site) => baseUrl)
    .mockImplementationOnce(() => {
      throw new Error('no memory')
    })
  const page = renderedOnce(render)
  await expect(page(at('http://haul'))).rejects.toThrow('no memory')
  expect(await page(at('http://haul'))).toBe('http://haul')
})
