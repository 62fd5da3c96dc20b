import { beforeEach, expect, test, vi } from 'vitest'
import { giveUpAfter } from '../clock.ts'
import { type Answered, FILM, newCaller } from './caller.ts'

const caller = await newCaller(100)
const start = (url: string): Promise<Answered> => caller.post('/import', { url })
const cancelAll = async () => {
  for (const { jobId } of (await caller.get('/jobs')).body.data.jobs) await caller.delete(`/jobs/${jobId}`)
}

/** However busy the machine is, a source that answers is not given up. */
beforeEach(() => void giveUpAfter(60_000))

/** What must look the same from outside, so that nobody can map our neighbourhood or a bucket's contents. */
const unreachable = [
  'https://nowhere.example/',
  'https://inside.example/',
  'https://refused.example/',
  'https://status.example/404',
  'https://status.example/410',
  'http://localhost/',
  'http://LOCALHOST:8787/',
  'http://localhost./',
  'http://app.localhost/',
  'http://intranet/',
  'http://metadata.google.internal/computeMetadata/v1/',
  'http://printer.local/',
  'http://router.home.arpa/',
  'http://127.0.0.1/',
  'http://127.0.0.1:1/health',
  'http://127.1/',
  'http://127.0.0.1./',
  'http://0177.0.0.1/',
  'http://0x7f.0.0.1/',
  'http://0x7f000001/',
  'http://2130706433/',
  'http://017700000001/',
  'http://%31%32%37.0.0.1/',
  'http://１２７.0.0.1/',
  'http://0/',
  'http://0.0.0.0/',
  'http://10.0.0.1/',
  'http://172.16.0.1/',
  'http://192.168.1.1/',
  'http://100.64.0.1/',
  'http://169.254.169.254/latest/meta-data/',
  'http://192.0.2.1/',
  'http://198.18.0.1/',
  'http://224.0.0.1/',
  'http://240.0.0.1/',
  'http://255.255.255.255/',
  'http://[::]/',
  'http://[::1]/',
  'http://[0:0:0:0:0:0:0:1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'http://[::127.0.0.1]/',
  'http://[64:ff9b::7f00:1]/',
  'http://[2002:7f00:1::]/',
  'http://[2001:0:7f00:1::]/',
  'http://[2001:4860:4860::5efe:7f00:1]/',
  'http://[fe80::1]/',
  'http://[fc00::1]/',
  'http://[fd00:ec2::254]/',
  'http://[ff02::1]/',
  'http://[2001:db8::1]/',
  'https://moved.example/1/http://169.254.169.254/latest/meta-data/',
  'https://moved.example/2/http://[::1]/',
  'https://moved.example/1/http://localhost/',
  'https://moved.example/1/https://me:secret@media.example/',
  'https://moved.example/1/ftp://media.example/',
  'https://moved.example/1/https://',
  'https://moved.example/1/https://status.example/404',
  `https://moved.example/6/${FILM}`,
]

test.each(unreachable)('%s is UNREACHABLE_URL, like any other', async (url) => {
  vi.spyOn(console, 'warn').mockReturnValue()
  const { status, headers, body } = await start(url)
  expect(status).toBe(400)
  expect(body).toEqual({
    success: false,
    error: 'The URL could not be reached.',
    code: 'UNREACHABLE_URL',
    requestId: headers.get('x-request-id'),
  })
  const told = [...headers.keys()].filter((name) => !name.startsWith('x-ratelimit'))
  expect(told).toEqual(['content-type', 'x-api-version', 'x-request-id'])
})

test('a source that says nothing for five seconds is no different', async () => {
  vi.spyOn(console, 'warn').mockReturnValue()
  const asked = giveUpAfter(10)
  const { status, body } = await start('https://slow.example/')
  expect([status, body.code, Object.keys(body)]).toEqual([
    400,
    'UNREACHABLE_URL',
    ['success', 'error', 'code', 'requestId'],
  ])
  expect(asked).toEqual([5_000])
})

test.each([
  FILM,
  'http://media.example:8080/film.mp4',
  'https://MEDIA.example/film.mp4#t=10',
  'https://media.example/фильм один.mp4?q=ü',
  'https://münchen.example/film.mp4',
  'http://93.184.216.34/film.mp4',
  'http://[2606:2800:220:1:248:1893:25c8:1946]/film.mp4',
  'https://page.example/watch',
  'https://status.example/401',
  'https://status.example/403',
  'https://status.example/429',
  'https://status.example/503',
  `https://moved.example/5/${FILM}`,
])('%s answers, so that the job may find out the rest', async (url) => {
  const { status, body } = await start(url)
  expect([status, body.data?.status]).toEqual([202, 'queued'])
  await cancelAll()
})
