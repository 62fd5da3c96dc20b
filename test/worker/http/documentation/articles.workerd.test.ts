import { describe, expect, test } from 'vitest'
import { callApi, ORIGIN } from '../../support/caller.ts'

describe.each(['works-with', 'which-model', 'ai-sdk'])('%s', (id) => {
  test('is a page and Markdown, with the facts of this Haul', async () => {
    const page = await callApi('GET', `/docs/${id}`)
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=UTF-8'])
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    const markdown = await callApi('GET', `/docs/${id}.md`)
    expect([markdown.status, markdown.headers.get('content-type')]).toEqual([200, 'text/markdown;charset=UTF-8'])
    for (const { body } of [page, markdown]) {
      if (id === 'works-with') expect(body).toContain(`${ORIGIN}/v1`)
      expect(body).not.toContain('{{')
    }
  })

  test('/docs, its search and /llms.txt lead to it', async () => {
    expect((await callApi('GET', '/docs')).body).toContain(`href="/docs/${id}"`)
    const entries: { href: string }[] = (await callApi('GET', '/docs/search.json')).body
    expect(entries.map(({ href }) => href)).toContain(`/docs/${id}`)
    expect((await callApi('GET', '/llms.txt')).body).toContain(`(${ORIGIN}/docs/${id}.md)`)
  })
})
