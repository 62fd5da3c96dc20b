import type { Product } from '../support/product/product.ts'

/** Each program has an account of its own. `path`: a file to upload, where the runtime has files. */
export const scenarioInput = async (site: Product, path?: string) => {
  const [client, hook] = await site.newPair()
  const { origin, receiver, haul } = site
  await site.start(client, hook)
  const [webhook] = await receiver.wait(hook, 1)
  const { secret } = await client.get<{ secret: string }>('/webhooks/secret')
  return {
    apiKey: client.apiKey,
    baseUrl: haul.baseUrl,
    media: `${origin.url}/media/faststart.mp4`,
    subtitled: `${origin.url}/media/subtitled/long.mp4`,
    slow: `${origin.url}/generated/30000000.mp4?ratePerSecond=2000000`,
    webhook: { headers: webhook?.headers, body: webhook?.body, secret },
    lastEventId: webhook?.headers['webhook-id'],
    path,
  }
}

/** What runScenario (scenario.mjs) returns. */
export const scenarioOutcome = {
  imported: ['audio/mp4', true],
  isPlaylist: false,
  transcribed: ['platform_captions', 'A tone, inside. Still a tone. The last tone.\n', 3],
  uploaded: ['ready', 0, 100],
  uploadFailure: [true, 'TRANSCRIPTION_PROVIDER_REQUIRED', true],
  fileFailure: 'TRANSCRIPTION_PROVIDER_REQUIRED',
  batch: [2, 'completed', 1, ['completed', 'failed']],
  batches: [true],
  watch: ['starting', 'paused', [true], 404],
  search: [['tone,tone,last tone'], 0.5, true, 'rebuilding', 'q'],
  canceled: ['failed', 'CANCELED', true],
  aborted: ['enough', 'CANCELED'],
  isRepeated: true,
  timedOut: ['HaulTimeoutError', true],
  refused: [true, 400, 'INVALID_REQUEST', 'videoQuality'],
  unknown: [404, 'JOB_NOT_FOUND', true],
  event: ['import.completed', 'completed'],
  forged: 'HaulWebhookError',
  heldDollars: 0,
}
