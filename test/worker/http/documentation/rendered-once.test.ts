import { expect, test, vi } from 'vitest'
import { renderedOnce } from '../../../../worker/http/documentation/rendered-once.ts'

test('a document is rendered once, whatever Host headers ask for it', async () => {
  const render = vi.fn(async (url: string) => `<a href="${url}/docs">${url}</a>`)
  const page = renderedOnce(render)
  expect(await page('https://haul.example')).toBe('<a href="https://haul.example/docs">https://haul.example</a>')
  for (let host = 0; host < 100; host++) expect(await page(`http://host-${host}`)).toContain(`>http://host-${host}<`)
  expect(await page('http://a"$&')).toBe('<a href="http://a%22$%26/docs">http://a%22$%26</a>')
  expect(render).toHaveBeenCalledOnce()
})

test('a rendering that failed is tried again', async () => {
  const render = vi
    .fn((url: string) => url)
    .mockImplementationOnce(() => {
      throw new Error('no memory')
    })
  const page = renderedOnce(render)
  await expect(page('http://haul')).rejects.toThrow('no memory')
  expect(await page('http://haul')).toBe('http://haul')
})
