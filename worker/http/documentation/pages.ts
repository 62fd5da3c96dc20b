import { RecentValues } from '../../../domain/recent-values.ts'
import { publicUrl } from '../request-context.ts'
import type { Router } from '../router.ts'
import { documentOf, registerComponents } from './openapi.ts'
import type { Document } from './reference/document.ts'
import { referencePage } from './reference/page.ts'

/** /docs has no script and loads only our own files. The console's policy is in console/_headers. */
const pageHeaders = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cache-Control': 'public, max-age=300',
}

/** By the URL of the Worker, which has few unless a caller invents Host headers. */
const MAX_RENDERED = 10

/** Adds /docs, /openapi.json and /llms.txt. The console at / consists of static assets, which bypass the Worker. */
export const documentationRoutes = (app: Router): void => {
  registerComponents(app)
  app.get('/openapi.json', (c) => c.json(documentOf(app, publicUrl(c))))
  app.get('/llms.txt', (c) => c.text(llmsText(publicUrl(c))))

  const rendered = new RecentValues<string, string>(MAX_RENDERED)
  app.get('/docs', async (c) => {
    const url = publicUrl(c)
    const page = rendered.get(url) ?? `${await referencePage(documentOf(app, url) as Document, url)}`
    rendered.set(url, page)
    return c.html(page, 200, pageHeaders)
  })
}

const llmsText = (origin: string): string => `# Haul

> An HTTP API that imports media from a URL and transcribes it. Send Authorization: Bearer <API_KEY> with every request.

- POST ${origin}/import {"url": "https://…"} starts an import. It responds with 202 and data.jobId.
- GET ${origin}/import/status?id=<jobId>&wait=30 returns the job. data.result.mediaUrl is a link to the file.
- POST ${origin}/transcribe {"url": "https://…"} extracts existing captions. "provider": "builtin" transcribes the audio.
- GET ${origin}/transcribe/status?id=<jobId>&wait=30 returns data.result.text and segments with timestamps.
- GET ${origin}/transcribe/transcript?id=<jobId>&format=txt|md|srt|vtt|tsv|json downloads the transcript as a file.
- Instead of a url, POST ${origin}/transcribe takes the importId of a completed import, or an uploadId. For a file of your
  own, POST ${origin}/uploads {"filename", "sizeBytes"}, PUT its bytes to the url of each of its parts, and POST
  ${origin}/uploads/<uploadId>/complete {"parts": [{"number", "etag"}]}.
- Both starts take "clip": {"start": "1:00", "end": "2:30"}, and "reuseWithinSeconds" to get an earlier result for free.
- With a provider, "words": true adds the times of each word and "speakers": true who speaks: format=json has both.
- "audioFormat": "mp3" with "includeVideo": false imports only the audio, in this format (source, mp3, m4a, opus or wav).
- POST ${origin}/batches {"urls": ["https://…"], "import": {}} imports many URLs, {"playlistUrl": "https://…", "transcribe": {}}
  transcribes a playlist. GET ${origin}/batches/<batchId> and /batches/<batchId>/items return how far it is.
- PUT ${origin}/storage sets your own S3 bucket. Imports with "store": true are copied to it; see data.result.s3Storage.
- GET ${origin}/metadata?url=… returns sizes, formats and prices before an import, or the first entries of a playlist.
- GET ${origin}/account returns the balance.
- With webhookUrl in a start request, the ended job is sent to that URL, signed according to Standard Webhooks 1.0.
  GET ${origin}/webhooks/secret returns the signing secret.
- GET ${origin}/events streams the starts and ends of all jobs and batches as server-sent events, with the bodies of webhooks.
  Reconnect with the last id in Last-Event-ID to miss nothing.
- An error response has success false, a message in error and a constant in code.

API reference: ${origin}/docs
OpenAPI document: ${origin}/openapi.json
`
