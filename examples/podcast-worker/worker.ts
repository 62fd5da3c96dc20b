import { Haul, HaulWebhookError } from 'haul-client'

interface Env {
  BUCKET: R2Bucket
  FEED_URL: string
  /** Where Haul reaches this Worker. Empty: webhooks come another way, such as `haul listen --forward-to`. */
  PUBLIC_URL: string
  NEWEST_EPISODES: string
  MAX_COST_DOLLARS: string
  HAUL_URL: string
  HAUL_API_KEY: string
  HAUL_WEBHOOK_SECRET: string
}

/** `episodes/ID` in the bucket. `jobs/JOB_ID` has the id of the job's episode. */
interface Episode {
  title: string
  jobId: string
  attempt: number
  status: 'transcribing' | 'transcribed' | 'try again' | 'failed'
}

const MAX_ATTEMPTS = 3

export default {
  /** Each hour: starts a transcription of every episode that is new. */
  async scheduled(_, env) {
    const haul = clientOf(env)
    const feed = await haul.metadata(env.FEED_URL)
    if (!('entries' in feed)) throw new Error(`${env.FEED_URL} is not a feed.`)
    for (const { url, title } of feed.entries.slice(0, Number(env.NEWEST_EPISODES))) {
      // One episode that is refused does not keep back the others. The next hour tries it again.
      await transcribe(haul, env, { url, title: title ?? url }).catch((error) => console.error(title, error))
    }
  },

  async fetch(request, env) {
    const { pathname } = new URL(request.url)
    if (pathname === '/webhooks/haul' && request.method === 'POST') return receiveWebhook(request, env)
    if (pathname === '/') return listTranscripts(env)
    const file = pathname.startsWith('/transcripts/') ? await env.BUCKET.get(pathname.slice(1)) : null
    return file
      ? new Response(file.body, { headers: { 'content-type': 'application/x-subrip; charset=utf-8' } })
      : new Response('Not found.', { status: 404 })
  },
} satisfies ExportedHandler<Env>

const clientOf = (env: Env): Haul => new Haul({ apiKey: env.HAUL_API_KEY, baseUrl: env.HAUL_URL, maxBusyMs: 60_000 })

const transcribe = async (haul: Haul, env: Env, { url, title }: { url: string; title: string }): Promise<void> => {
  // The address of its file identifies an episode.
  const id = await digest(url)
  const known = await readEpisode(env, id)
  if (known && known.status !== 'try again') return
  const attempt = (known?.attempt ?? 0) + 1
  const options = {
    provider: 'builtin',
    captionsFirst: true,
    maxCostDollars: Number(env.MAX_COST_DOLLARS),
    ...(env.PUBLIC_URL && { webhookUrl: `${env.PUBLIC_URL}/webhooks/haul` }),
  } as const
  // If this Worker stops before it has stored the episode, the next hour gets the same job again.
  const idempotencyKey = await digest(JSON.stringify([id, attempt, options]))
  const { jobId } = await haul.transcribe(url, { ...options, idempotencyKey, wait: false })
  await writeEpisode(env, id, { title, jobId, attempt, status: 'transcribing' })
  await env.BUCKET.put(`jobs/${jobId}`, id)
  console.log(`${jobId} transcribes "${title}"`)
}

/** Stores the subtitles before it answers: if that fails, Haul sends the webhook again. Twice does no harm. */
const receiveWebhook = async (request: Request, env: Env): Promise<Response> => {
  const haul = clientOf(env)
  // The signature covers the bytes as they were sent, so the body is verified before it is parsed.
  const event = await haul.webhooks
    .verify(await request.text(), request.headers, env.HAUL_WEBHOOK_SECRET)
    .catch((error: Error) => error)
  if (event instanceof HaulWebhookError) return new Response(event.message, { status: 401 })
  if (event instanceof Error) throw event
  if (event.type !== 'transcription.completed' && event.type !== 'transcription.failed') return noContent()

  const { jobId } = event.data
  const id = await env.BUCKET.get(`jobs/${jobId}`).then((object) => object?.text())
  const episode = id ? await readEpisode(env, id) : null
  // A webhook can be faster than the response to the start. Haul sends it again in five seconds.
  if (!id || !episode) return new Response('The job is not known yet.', { status: 409 })

  if (event.type === 'transcription.completed') {
    const { title } = episode
    await env.BUCKET.put(`transcripts/${id}.srt`, await haul.transcript(jobId, 'srt'), { customMetadata: { title } })
    await writeEpisode(env, id, { ...episode, status: 'transcribed' })
    console.log(`Stored transcripts/${id}.srt, "${title}"`)
  } else {
    const { retryable, code, message } = event.data
    const status = retryable && episode.attempt < MAX_ATTEMPTS ? 'try again' : 'failed'
    await writeEpisode(env, id, { ...episode, status })
    console.error(`"${episode.title}" failed with ${code}: ${message}`)
  }
  return noContent()
}

const noContent = (): Response => new Response(null, { status: 204 })

const listTranscripts = async (env: Env): Promise<Response> => {
  const { objects } = await env.BUCKET.list({ prefix: 'transcripts/', include: ['customMetadata'] })
  return Response.json(objects.map(({ key, customMetadata }) => ({ title: customMetadata?.title, path: `/${key}` })))
}

const readEpisode = async (env: Env, id: string): Promise<Episode | null> =>
  (await env.BUCKET.get(`episodes/${id}`))?.json() ?? null

const writeEpisode = (env: Env, id: string, episode: Episode): Promise<unknown> =>
  env.BUCKET.put(`episodes/${id}`, JSON.stringify(episode))

const digest = async (text: string): Promise<string> => {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return new Uint8Array(hash).toHex().slice(0, 32)
}
