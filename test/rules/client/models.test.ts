import { expect, test } from 'vitest'
import { data, drop, scriptedService } from './scripted-service.ts'

const service = scriptedService()

test('the models are those of the service, and one of them is asked for by its name', async () => {
  const models = [{ name: 'whisper-base', isDefault: true }, { name: 'moonshine-base' }]
  service.on('GET /models', drop, data({ models }))
  service.on('POST /transcribe', data({ jobId: 'trn_1', status: 'queued' }, 202))
  const haul = service.client()
  const [, moonshine] = await haul.models()
  expect(moonshine).toEqual({ name: 'moonshine-base' })
  await haul.transcribe('https://example.com/talk', { mode: 'speech', model: `${moonshine?.name}`, wait: false })
  expect(JSON.parse(`${service.received().at(-1)?.body}`)).toEqual({
    ...{ url: 'https://example.com/talk', mode: 'speech', model: 'moonshine-base' },
  })
})
