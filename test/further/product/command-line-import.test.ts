import { createHash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listenOnLoopback } from '../../support/loopback.ts'
import type { AccountClient } from '../../support/product/api-client.ts'
import {
  CLEARED_LINE,
  CTRL_C,
  closedPort,
  type Ended,
  type InstalledHaul,
  installHaul,
  screenOf,
} from '../../support/product/command-line.ts'
import { product } from '../../support/product/product.ts'

/** `haul import` and the commands about jobs, against the whole product. */
const site = product()
let command: InstalledHaul
let client: AccountClient
let env: NodeJS.ProcessEnv
/** It gives up after a quarter of a minute, so it starts with the first test. */
let unreachable: Promise<Ended>

beforeAll(async () => {
  command = await installHaul()
  const away = { HAUL_API_KEY: 'any', HAUL_URL: `http://127.0.0.1:${await closedPort()}` }
  unreachable = command.run(['account'], { env: away })
  // If the client has changed, it is compiled first.
}, 60_000)
afterAll(() => command?.remove())

beforeEach(async () => {
  client = await site.newClient()
  env = { HAUL_API_KEY: client.apiKey, HAUL_URL: site.haul.baseUrl }
  await command.emptyFolder()
})

const haul = (...args: string[]) => command.run(args, { env })
const inFolder = (name: string) => join(command.folder, name)
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const slow = (bytes = 30_000_000) => `${site.origin.url}/generated/${bytes}.mp4?ratePerSecond=500000&${Math.random()}`
const jobsOf = async (status: string) =>
  (await client.get<{ jobs: { jobId: string }[] }>(`/jobs?status=${status}`)).jobs

describe('haul import', () => {
  test('saves the file under its own name, prints only its path on stdout, and what it is on stderr', async () => {
    const { stdout, stderr, exitCode } = await haul('import', site.media())
    expect({ stdout, exitCode }).toEqual({ stdout: 'faststart.mp4\n', exitCode: 0 })
    expect(stderr).toMatch(/^faststart · [\d.]+ kB · 0:06 · \$0\.00\d+ · imp_\w+\n$/m)
    const saved = await readFile(inFolder('faststart.mp4'))
    const original = new Uint8Array(await (await fetch(site.media())).arrayBuffer())
    expect(sha256(saved)).toBe(sha256(original))
    expect(await readdir(command.folder)).toEqual(['faststart.mp4'])
  })

  test('-o - writes the bytes to stdout, and a pipe that is closed early is no error', async () => {
    const { exitCode, output } = await inShell('haul import -q "$MEDIA" -o - | sha256sum')
    const original = new Uint8Array(await (await fetch(site.media())).arrayBuffer())
    expect({ exitCode, output }).toEqual({ exitCode: 0, output: `${sha256(original)}  -\n` })
    expect(await inShell('haul import -q "$MEDIA" -o - | head -c 4 | wc -c')).toEqual({ exitCode: 0, output: '4\n' })
  })

  test('an existing file is refused before the job starts, and overwritten with --force', async () => {
    await writeFile(inFolder('film.mp4'), 'mine')
    const refused = await haul('import', site.media(), '-o', 'film.mp4')
    expect(refused).toEqual({
      stdout: '',
      stderr: 'haul: film.mp4 exists already. Overwrite it with --force.\n',
      exitCode: 2,
    })
    expect(await jobsOf('completed')).toEqual([])
    expect((await haul('import', site.media(), '-o', 'film.mp4', '--force')).exitCode).toBe(0)
    expect((await readFile(inFolder('film.mp4'))).length).toBeGreaterThan(10_000)
  })

  test('--json prints the job as the API has it and saves nothing, and the job id saves it later', async () => {
    const { stdout, exitCode } = await haul('import', site.media(), '--json', '--audio', 'mp3', '--clip', '0:01-0:03')
    const job = JSON.parse(stdout)
    expect(exitCode).toBe(0)
    expect(job).toEqual(await client.get(`/jobs/${job.jobId}`))
    expect(job.result).toMatchObject({ filename: 'faststart.mp3', transcoded: true, clip: { start: 1, end: 3 } })
    expect(await readdir(command.folder)).toEqual([])
    expect(await haul('import', job.jobId, '-q')).toEqual({ stdout: 'faststart.mp3\n', stderr: '', exitCode: 0 })
    expect((await readFile(inFolder('faststart.mp3'))).length).toBe(job.result.fileSizeBytes)
  })

  test('--clip takes seconds, too', async () => {
    const { stdout, exitCode } = await haul('import', site.media(), '--json', '--clip', '1.5-')
    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout).result.clip).toMatchObject({ start: 1.5 })
  })

  test('--no-wait prints the job id and leaves the job running, and haul cancel cancels it', async () => {
    const { stdout, exitCode } = await haul('import', slow(), '--no-wait')
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/^imp_\w+\n$/)
    const jobId = stdout.trim()
    await client.until(jobId, ({ status }) => status === 'running')
    expect(await haul('cancel', jobId)).toMatchObject({ stdout: `${jobId} is canceled.\n`, exitCode: 0 })
    expect(await client.read(jobId)).toMatchObject({ status: 'failed', code: 'CANCELED' })
    expect(await haul('cancel', jobId)).toMatchObject({ stdout: `${jobId} is canceled.\n`, exitCode: 0 })
  })

  test('haul cancel does not remove the file of a job that has completed', async () => {
    const jobId = await client.start({ url: site.media() })
    const { result } = await client.ended(jobId)
    const refused = await haul('cancel', jobId)
    expect(refused).toMatchObject({ stderr: `haul: ${jobId} has ended already: completed.\n`, exitCode: 2 })
    expect((await fetch(result.mediaUrl, { method: 'HEAD' })).status).toBe(200)
  })
})

describe('on a terminal', () => {
  test('one line of progress is redrawn within the width of the terminal, and is gone in the end', async () => {
    const url = `${site.origin.url}/generated/3000000.mp4?ratePerSecond=1500000`
    const running = command.startInTerminal(['import', url], { env, columns: 60 })
    const { stdout, exitCode } = await running.ended
    expect(exitCode).toBe(0)
    const drawn = stdout.split(CLEARED_LINE).slice(1, -1)
    expect(drawn).toContainEqual(expect.stringMatching(/^Downloading /))
    expect(Math.max(...drawn.map((line) => line.length))).toBeLessThan(60)
    expect(screenOf(stdout)).toEqual([expect.stringMatching(/^3000000 · 3\.0 MB · /), '3000000.mp4', ''])
  })

  test('Ctrl-C cancels the job and exits with 130, and the part of a file is removed', async () => {
    const running = command.startInTerminal(['import', slow()], { env })
    await running.printed(/Downloading/)
    running.type(CTRL_C)
    const { stdout, exitCode } = await running.ended
    const [job] = await jobsOf('failed')
    expect({ exitCode, screen: screenOf(stdout) }).toMatchObject({
      exitCode: 130,
      screen: expect.arrayContaining([`${job?.jobId} is canceled.`]),
    })
    expect(await client.read(job?.jobId ?? '')).toMatchObject({ code: 'CANCELED' })
    expect(await client.account()).toMatchObject({ heldDollars: 0, balanceDollars: 10 })
    expect(await readdir(command.folder)).toEqual([])
  })

  test('Ctrl-C does not cancel a job that another command has started', async () => {
    const jobId = await client.start({ url: slow() })
    const running = command.startInTerminal(['import', jobId], { env })
    await running.printed(/Downloading/)
    running.type(CTRL_C)
    expect((await running.ended).exitCode).toBe(130)
    expect(await client.read(jobId)).toMatchObject({ status: 'running' })
    await client.remove(`/jobs/${jobId}`)
  })

  test('colors need a terminal without NO_COLOR', async () => {
    const colored = await command.startInTerminal(['account'], { env }).ended
    expect(colored.stdout).toContain('\u001b[1mtest\u001b[22m')
    const plain = await command.startInTerminal(['account'], { env: { ...env, NO_COLOR: '1' } }).ended
    expect(plain.stdout).not.toContain('\u001b[')
  })
})

test('SIGINT without a terminal cancels the job as well', async () => {
  const running = command.start(['import', slow()], { env })
  await expect.poll(async () => (await jobsOf('running')).length).toBe(1)
  running.kill('SIGINT')
  const { exitCode, stderr } = await running.ended
  expect(exitCode).toBe(130)
  expect(stderr).not.toContain('\u001b')
  expect(await jobsOf('running')).toEqual([])
})

test('a second Ctrl-C exits at once, also if the service does not answer the first', async () => {
  // A service that starts a job and then says nothing more.
  const requests: string[] = []
  const silent = await listenOnLoopback(
    createServer((request, response) => {
      requests.push(`${request.method} ${request.url}`)
      const data = { jobId: 'imp_1', status: 'queued', message: '' }
      if (request.method === 'POST') response.writeHead(202).end(JSON.stringify({ success: true, data }))
    }),
  )
  const away = { HAUL_API_KEY: 'any', HAUL_URL: silent.url }
  const running = command.startInTerminal(['import', 'https://example.com/'], { env: away })
  await running.printed(/Queued {2}0:01/)
  running.type(CTRL_C)
  await running.printed(/Press Ctrl-C again to stop at once/)
  running.type(CTRL_C)
  expect((await running.ended).exitCode).toBe(130)
  // After a time-out the request would have been sent again.
  expect(requests.filter((request) => request.startsWith('DELETE'))).toEqual(['DELETE /jobs/imp_1?cancelOnly=1'])
  await silent.close()
})

describe('exit codes', () => {
  test('1: the job has failed, and the code is named', async () => {
    const { exitCode, stderr, stdout } = await haul('import', `${site.origin.url}/page/none.html`)
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
    expect(stderr).toMatch(/^haul: .+ \(SOURCE_\w+, imp_\w+\)$/m)
  })

  test('2: wrong use, a refused request, and a refused key', async () => {
    expect(await haul('import', site.media(), '--nonsense')).toMatchObject({ exitCode: 2, stdout: '' })
    expect(await haul('import', site.media(), '--clip', '5')).toMatchObject({ exitCode: 2, stdout: '' })
    const gone = await haul('import', `${site.origin.url}/media/nowhere.mp4`)
    expect(gone).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('(UNREACHABLE_URL, req_') })
    const wrong = await haul('import', site.media(), '--quality', '9999p')
    expect(wrong).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('videoQuality: must be one of') })
    const forged = await command.run(['account'], { env: { ...env, HAUL_API_KEY: 'haul_forged' } })
    expect(forged).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('run `haul login`') })
  })

  test('3: the balance is too low', async () => {
    const url = `${site.origin.url}/generated/2000000000.mp4`
    const { exitCode, stderr } = await haul('import', url)
    expect({ exitCode, stderr }).toEqual({ exitCode: 3, stderr: expect.stringContaining('INSUFFICIENT_BALANCE') })
  })

  test('4: the service cannot be reached', async () => {
    const { exitCode, stderr, stdout } = await unreachable
    expect({ exitCode, stdout }).toEqual({ exitCode: 4, stdout: '' })
    const [waiting, end] = stderr.split('\n')
    expect(waiting).toMatch(/^http:\/\/127\.0\.0\.1:\d+ cannot be reached\. Trying again\.$/)
    expect(end).toMatch(/^haul: The connection to http:\/\/127\.0\.0\.1:\d+ failed.*ECONNREFUSED/)
  })
})

describe('haul jobs, look and account', () => {
  test('jobs are an aligned table, or the list of the API', async () => {
    await haul('import', site.media(), '--json')
    await haul('import', `${site.origin.url}/page/none.html`, '--json')
    const all = (await haul('jobs')).stdout.trimEnd().split('\n')
    expect(all[0]).toMatch(/^Job +Status +Created +Cost {2}Title or code$/)
    const column = all[0]?.indexOf('Status') ?? 0
    expect(all.slice(1).map((line) => line.slice(column).split(' ')[0])).toEqual(['failed', 'completed'])
    const failed = JSON.parse((await haul('jobs', '--status', 'failed', '--json')).stdout)
    expect(failed).toEqual(await client.get('/jobs?status=failed'))
  })

  test('jobs are found by their metadata, their text and the time of their creation', async () => {
    const noted = ['--metadata', 'show=news', '--metadata', 'episode=42', '--no-wait', '--json']
    const started = async (...args: string[]): Promise<string> => JSON.parse((await haul(...args)).stdout).jobId
    const imported = await started('import', `${slow()}&talk`, ...noted)
    const transcribed = await started('transcribe', site.media(), ...noted)
    await started('import', slow(), '--no-wait', '--json')
    const found = async (...args: string[]): Promise<string[]> =>
      JSON.parse((await haul('jobs', '--json', ...args)).stdout).jobs.map(({ jobId }: { jobId: string }) => jobId)
    expect(await found('--metadata', 'show=news', '--metadata', 'episode=42')).toEqual([transcribed, imported])
    expect(await found('--metadata', 'show=news', '--search', '&TALK')).toEqual([imported])
    expect(await found('--metadata', 'show=films')).toEqual([])
    expect(await found('--after', '2000-01-01', '--search', 'talk')).toEqual([imported])
    expect(await found('--before', '2000-01-01')).toEqual([])
    const wrong = await haul('jobs', '--metadata', 'an episode=1')
    expect(wrong).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('metadata.an episode: is not a key') })
    for (const jobId of [imported, transcribed]) await client.remove(`/jobs/${jobId}`)
  })

  test('look shows what a source has and what it costs', async () => {
    const { stdout, exitCode } = await haul('look', `${site.origin.url}/page/video.html`)
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/^Captions: {3}en: \$0\.01$/m)
    expect(stdout).toMatch(/^Import +Download +Price$/m)
    const list = await haul('look', `${site.origin.url}/page/feed.xml`, '--json')
    expect(JSON.parse(list.stdout)).toMatchObject({ isPlaylist: true })
  })

  test('account shows what is available, the prices and how long files are kept', async () => {
    const { stdout } = await haul('account')
    expect(stdout).toMatch(/^test \(acct_\w+\)\nAvailable: {2}\$10\.00\n/)
    expect(stdout).toMatch(/^Downloads: {2}\$0\.01 for each MB\nCaptions: {3}\$0\.01$/m)
    expect(stdout).toMatch(/^Files: {6}kept for 7 days$/m)
    // The hour of free work begins with the first such work.
    const shown = { ...(await client.account()), freeWork: expect.objectContaining({ engineSecondsLeft: 1_200 }) }
    expect(JSON.parse((await haul('account', '--json')).stdout)).toEqual(shown)
  })
})

/** A pipeline without a terminal. Its exit code is that of `haul`. */
const inShell = async (line: string): Promise<{ exitCode: number; output: string }> => {
  const script = `set -o pipefail; ${line}; echo "\${PIPESTATUS[0]}" >&2`
  const { stdout, stderr } = await command.runProgram('bash', ['-c', script], { env: { ...env, MEDIA: site.media() } })
  return { output: stdout, exitCode: Number(stderr.trim()) }
}
