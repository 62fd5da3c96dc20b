import { describe, expect, test } from 'vitest'
import { textInD1 } from '../../support/tables.ts'
import { keyOf, newCaller, SOURCE } from '../../support/transcriptions.ts'

describe('stored provider keys', () => {
  test('are stored, listed, replaced and deleted, and never returned', async () => {
    const caller = await newCaller()
    const apiKey = keyOf('provider_a')
    const stored = await caller.callApi('POST', '/transcription-provider', { provider: 'provider_a', apiKey })
    expect(stored.body.data).toEqual({ provider: 'provider_a', keyPreview: '…0001', updatedAt: expect.any(String) })
    const list = await caller.callApi('GET', '/transcription-provider')
    expect(list.body.data).toEqual({ providers: [stored.body.data], nextCursor: null })
    expect(JSON.stringify([stored, list])).not.toContain(apiKey)

    await caller.callApi('POST', '/transcription-provider', { provider: 'provider_a', apiKey: 'short' })
    const replaced = await caller.callApi('GET', '/transcription-provider')
    expect(replaced.body.data.providers).toMatchObject([{ provider: 'provider_a', keyPreview: '…' }])

    const remove = () => caller.callApi('DELETE', '/transcription-provider?provider=provider_a')
    expect((await remove()).body.data).toEqual({ provider: 'provider_a', removed: true })
    expect((await remove()).status).toBe(404)
  })

  test('are stored and deleted by the name of the service, and listed by that of the provider', async () => {
    const caller = await newCaller()
    const stored = await caller.callApi('POST', '/transcription-provider', { provider: 'deepgram', apiKey: 'short' })
    expect(stored.body.data).toMatchObject({ provider: 'provider_b', keyPreview: '…' })
    const list = await caller.callApi('GET', '/transcription-provider')
    expect(list.body.data.providers).toEqual([stored.body.data])
    await caller.transcribe({ provider: 'deepgram' })
    await caller.transcribe({ provider: 'provider_b' })
    const removed = await caller.callApi('DELETE', '/transcription-provider?provider=deepgram')
    expect(removed.body.data).toEqual({ provider: 'provider_b', removed: true })
    const refused = await caller.callApi('POST', '/transcribe', { url: SOURCE, provider: 'deepgram' })
    expect(refused.body.code).toBe('PROVIDER_KEY_REQUIRED')
    expect((await caller.callApi('DELETE', '/transcription-provider?provider=whisper')).status).toBe(400)
  })

  test('are encrypted in the database and belong to one account', async () => {
    const [caller, other] = [await newCaller(), await newCaller()]
    const apiKey = 'a-canary-that-must-not-leak'
    await caller.callApi('POST', '/transcription-provider', { provider: 'provider_b', apiKey })
    const stored = await textInD1('credentials')
    expect(stored).toContain('provider/deepgram')
    expect(stored).not.toContain('canary')
    expect((await other.callApi('GET', '/transcription-provider')).body.data.providers).toEqual([])
    const { body } = await other.callApi('POST', '/transcribe', { url: SOURCE, provider: 'provider_b' })
    expect(body.code).toBe('PROVIDER_KEY_REQUIRED')
  })

  test.each([
    ['the built-in speech', { provider: 'builtin', apiKey: 'some-key' }],
    ['an empty key', { provider: 'provider_a', apiKey: '' }],
    ['no key', { provider: 'provider_a' }],
  ])('are refused: %s', async (_, body) => {
    const refused = await (await newCaller()).callApi('POST', '/transcription-provider', body)
    expect([refused.status, refused.body.code]).toEqual([400, 'INVALID_REQUEST'])
  })
})
