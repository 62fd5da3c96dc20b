import { Haul, HaulWebhookError } from 'haul-client'

interface Env {
  /** `episodes/ID` and `transcripts/ID.srt`. The ID is made from the URL of the episode. */
  BUCKET: R2Bucket
  HAUL_URL: string
  HAUL_API_KEY: string
  HAUL_WEBHOOK_SECRET: string
}

export default {
  async fetch(request, env) {
    const { pathname } = new URL(request.url)
    if (pathname === '/webhooks/haul' && request.method === 'POST') return receiveWebhook(request, env)
    if (pathname === '/') return listEpisodes(env)
    const file = pathname.startsWith('/transcripts/') ? await env.BUCKET.get(pathname.slice(1)) : null
    return file
      ? new Response(file.body, { headers: { 'content-type': 'application/x-subrip; charset=utf-8' } })
      : new Response('Not found.', { status: 404 })
  },
} satisfies ExportedHandler<Env>

/** Stores what has come before it answers: if that fails, Haul sends the webhook again. Twice, or in another order, does no harm. */
const receiveWebhook = async (request: Request, env: Env): Promise<Response> => {
  const haul = new Haul({ apiKey: env.HAUL_API_KEY, baseUrl: env.HAUL_URL, maxBusyMs: 10_000 })
  // The signature covers the bytes as they were sent, so the body is verified before it is parsed.
  const event = await haul.webhooks
    .verify(await request.text(), request.headers, env.HAUL_WEBHOOK_SECRET)
    .catch((error: Error) => error)
  if (event instanceof HaulWebhookError) return new Response(event.message, { status: 401 })
  if (event instanceof Error) throw event

  if (event.type === 'watch.item') {
    const { url, title, publishedAt } = event.data
    const customMetadata = { title: title ?? url, publishedAt: publishedAt ?? '' }
    await env.BUCKET.put(`episodes/${await idOf(url)}`, null, { customMetadata })
    console.log(`New: "${title}"`)
  } else if (event.type === 'transcription.completed') {
    const { jobId } = event.data
    const { url } = await haul.jobs.get(jobId)
    const key = `transcripts/${await idOf(url ?? jobId)}.srt`
    await env.BUCKET.put(key, await haul.transcript(jobId, 'srt'))
    console.log(`Stored ${key}`)
  } else if (event.type === 'transcription.failed') {
    const { jobId, code, message } = event.data
    console.error(`${jobId} failed with ${code}: ${message}`)
  } else if (event.type === 'watch.failing' || event.type === 'watch.paused') {
    const { url, status, code, message } = event.data
    console.error(`The watch of ${url} is ${status} with ${code}: ${message}`)
  }
  return new Response(null, { status: 204 })
}

const listEpisodes = async ({ BUCKET }: Env): Promise<Response> => {
  const [episodes, transcripts] = await Promise.all([
    BUCKET.list({ prefix: 'episodes/', include: ['customMetadata'] }),
    BUCKET.list({ prefix: 'transcripts/' }),
  ])
  const paths = new Set(transcripts.objects.map(({ key }) => `/${key}`))
  const shown = episodes.objects.map(({ key, customMetadata }) => {
    const path = `/transcripts/${key.replace('episodes/', '')}.srt`
    return { ...customMetadata, transcript: paths.has(path) ? path : null }
  })
  return Response.json(shown)
}

const idOf = async (url: string): Promise<string> => {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(url))
  return new Uint8Array(hash).toHex().slice(0, 32)
}
