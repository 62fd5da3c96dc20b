import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import worker from '../../worker/index.ts'

test('the document describes what webhooks bring', async () => {
  const response = await worker.fetch(new Request('https://haul.test/openapi.json'), env, createExecutionContext())
  const { webhooks } = await response.json<{ webhooks: Record<string, object> }>()
  expect(Object.keys(webhooks)).toEqual([
    'import.completed',
    'import.failed',
    'transcription.completed',
    'transcription.failed',
    'webhook.test',
  ])
  expect(webhooks['import.completed']).toMatchObject({
    post: { requestBody: { content: { 'application/json': { schema: { properties: { type: {}, data: {} } } } } } },
  })
})
