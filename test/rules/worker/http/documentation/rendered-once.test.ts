import { expect, test, vi } from 'vitest'
import { renderedOnce } from '../../../../../worker/http/documentation/rendered-once.ts'

const terms = {}

test('a document is rendered once, whatever Host headers ask for it', async () => {
  const render = vi.fn(async (_: object, baseUrl: string) => `<a href="${baseUrl}/docs">${baseUrl}</a>`)
  const page = renderedOnce(render)
  expect(await page(terms, 'https://haul.example')).toBe('<a href="https://haul.example/docs">https://haul.example</a>')
  for (let host = 0; host < 100; host++)
    expect(await page(terms, `http://host-${host}`)).toContain(`>http://host-${host}<`)
  expect(await page(terms, 'http://a"$&')).toBe('<a href="http://a%22$%26/docs">http://a%22$%26</a>')
  expect(render).toHaveBeenCalledOnce()
})

test('a document is rendered again when the operator has set something else', async () => {
  const page = renderedOnce(({ retentionDays }: { retentionDays: number }) => `${retentionDays} days`)
  expect(await page({ retentionDays: 7 }, 'http://haul')).toBe('7 days')
  expect(await page({ retentionDays: 30 }, 'http://haul')).toBe('30 days')
})

test('a rendering that failed is tried again', async () => {
  const render = vi
    .fn((_: object, baseUrl: string) => baseUrl)
    .mockImplementationOnce(() => {
      throw new Error('no memory')
    })
  const page = renderedOnce(render)
  await expect(page(terms, 'http://haul')).rejects.toThrow('no memory')
  expect(await page(terms, 'http://haul')).toBe('http://haul')
})
