import { execFile } from 'node:child_process'
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { fixturesRoot } from '../../doubles/origin/fixtures.ts'
import type { AccountClient } from '../../support/product/api-client.ts'
import { CTRL_C, type InstalledHaul, installHaul, screenOf } from '../../support/product/command-line.ts'
import { product } from '../../support/product/product.ts'

/** `haul transcribe`, `haul batch` and `haul login`, against the whole product. */
const site = product()
let command: InstalledHaul
let client: AccountClient
let env: NodeJS.ProcessEnv

/** For a test that loads the speech model, on a busy machine. */
const SPEECH_TIMEOUT_MS = 120_000
const speech = join(import.meta.dirname, '../../media/clips/0870.flac')
const words = /john dashwood had then leisure to consider/i

beforeAll(async () => {
  command = await installHaul()
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
const page = (name: string) => `${site.origin.url}/page/${name}`
const transcriptions = async () =>
  (await client.get<{ jobs: { jobId: string; status: string }[] }>('/jobs?type=transcription')).jobs

describe('haul transcribe', () => {
  test('prints the text on stdout, and what it is and costs on stderr', async () => {
    const { stdout, stderr, exitCode } = await haul('transcribe', page('video.html'))
    expect({ stdout, exitCode }).toEqual({
      stdout: expect.stringMatching(/^A tone\.\s+Still a tone\.\n$/),
      exitCode: 0,
    })
    expect(stderr).toMatch(/^platform_captions · en · 0:0\d · \$0\.01 · trn_\w+$/m)
  })

  test('-o chooses the format by its extension, and --language the captions', async () => {
    const args = ['transcribe', page('languages.html'), '--language', 'de', '-o', 'talk.srt', '-q']
    expect(await haul(...args)).toEqual({ stdout: 'talk.srt\n', stderr: '', exitCode: 0 })
    expect(await readFile(inFolder('talk.srt'), 'utf8')).toContain('00:00:00,500 --> 00:00:02,000\r\nEin Ton.')
  })

  test('--json prints the job as the API has it, and its id prints the transcript later', async () => {
    const job = JSON.parse((await haul('transcribe', page('video.html'), '--json')).stdout)
    expect(job).toEqual(await client.get(`/jobs/${job.jobId}`))
    const vtt = await haul('transcribe', job.jobId, '--format', 'vtt', '-q')
    expect(vtt).toMatchObject({ stdout: expect.stringMatching(/^WEBVTT\n/), stderr: '', exitCode: 0 })
    const json = await haul('transcribe', job.jobId, '--format', 'json', '-q')
    expect(JSON.parse(json.stdout).segments[0]).toMatchObject({ start: 0.5, end: 2, text: 'A tone.' })
    expect(await transcriptions()).toHaveLength(1)
  })

  test('a file is uploaded, and the captions in it are its transcript', async () => {
    const file = join(fixturesRoot, 'subtitled/mov_text.mp4')
    const { stdout, exitCode } = await haul('transcribe', file)
    expect({ stdout, exitCode }).toEqual({ stdout: expect.stringContaining('A tone, inside.'), exitCode: 0 })
  })

  test(
    'a file without captions is recognized by the built-in engine, without a question',
    async () => {
      const running = command.startInTerminal(['transcribe', speech, '-o', 'talk.txt'], { env })
      const { stdout, exitCode } = await running.ended
      expect({ exitCode, screen: screenOf(stdout) }).toMatchObject({
        exitCode: 0,
        screen: expect.arrayContaining(['talk.txt']),
      })
      expect(await readFile(inFolder('talk.txt'), 'utf8')).toMatch(words)
      expect(await transcriptions()).toHaveLength(1)
    },
    SPEECH_TIMEOUT_MS,
  )

  test('a ceiling that is too low names the price and the next command, which does not upload the file again', async () => {
    await writeFile(inFolder('my tone.m4a'), await readFile(join(fixturesRoot, 'tone.m4a')))
    const args = ['transcribe', 'my tone.m4a', '--format', 'srt', '--max-cost', '0.02']
    const { stdout, stderr, exitCode } = await haul(...args)
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 3 })
    expect(stderr).toContain(
      'haul: The transcription costs $0.03 (1 minute), and --max-cost is $0.02. (MAX_COST_EXCEEDED',
    )
    expect(stderr).toMatch(/^Run: haul transcribe upl_\w+ --format srt --max-cost 0\.05$/m)
    expect(await transcriptions()).toHaveLength(1)
    expect(await client.account()).toMatchObject({ balanceDollars: 10 })
  })

  test('--mode captions takes nothing else, and the job fails without captions', async () => {
    const { stdout, stderr, exitCode } = await haul(
      'transcribe',
      `${site.origin.url}/media/tone.m4a`,
      '--mode',
      'captions',
    )
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 1 })
    expect(stderr).toContain('haul: The media has no captions.')
    expect(stderr).toContain('TRANSCRIPTION_PROVIDER_REQUIRED')
  })

  test('a mode that contradicts the provider is refused with the name of the field', async () => {
    const { stderr, exitCode } = await haul(
      'transcribe',
      page('video.html'),
      '--mode',
      'captions',
      '--provider',
      'openai',
    )
    expect(exitCode).toBe(2)
    expect(stderr).toContain('provider: contradicts mode: captions')
  })

  test('what is neither a file nor a URL is refused before anything is sent', async () => {
    const { stderr, exitCode } = await haul('transcribe', 'nowhere.mp3')
    expect(exitCode).toBe(2)
    expect(stderr).toBe('haul: nowhere.mp3 is neither a file nor a URL that starts with http:// or https://.\n')
  })
})

describe('haul batch', () => {
  const urls = (...paths: string[]) => paths.map((path) => `${site.origin.url}/${path}\n`).join('')

  test('imports the URLs of a file, prints a table of those that failed, and exits with 1', async () => {
    await writeFile(
      inFolder('urls.txt'),
      `# films\n${urls('media/faststart.mp4', 'media/nowhere.mp4', 'page/none.html')}`,
    )
    const { stdout, stderr, exitCode } = await haul('batch', 'urls.txt')
    expect(exitCode).toBe(1)
    const lines = stdout.trimEnd().split('\n')
    expect(lines[0]).toMatch(/^# {2}URL +Code +Message$/)
    expect(lines[1]).toMatch(
      /^1 {2}http:\/\/\S+\/media\/nowhere\.mp4 +UNREACHABLE_URL +The URL could not be reached\.$/,
    )
    expect(lines[2]).toMatch(/^2 {2}http:\/\/\S+\/page\/none\.html +SOURCE_\w+ +.+$/)
    expect(stderr).toMatch(/^1 of 3 done, 2 failed · \$0\.00\d+ · bat_\w+$/m)
  })

  test('transcribes the first entries of a feed, and exits with 0 when all are done', async () => {
    const feed = site.newPath()
    const items = ['video.html', 'languages.html', 'stale.html'].map(
      (name) => `<item><title>${name}</title><link>${page(name)}</link></item>`,
    )
    const rss = `<rss version="2.0"><channel><title>A podcast</title>${items.join('')}</channel></rss>`
    site.receiver.behave(feed, (response) => {
      response.writeHead(200, { 'content-type': 'application/rss+xml' }).end(rss)
    })
    const { stdout, exitCode } = await haul(
      'batch',
      `${site.receiver.url}${feed}`,
      '--transcribe',
      '--limit',
      '2',
      '--json',
    )
    expect({ exitCode, batch: JSON.parse(stdout) }).toMatchObject({
      exitCode: 0,
      batch: { kind: 'transcription', counts: { total: 2, completed: 2 } },
    })
  })

  test('Ctrl-C cancels the batch', async () => {
    const input = urls('generated/30000000.mp4?ratePerSecond=500000', 'generated/30000001.mp4?ratePerSecond=500000')
    await writeFile(inFolder('urls.txt'), input)
    const running = command.startInTerminal(['batch', 'urls.txt'], { env })
    await running.printed(/0 of 2 done, 1 running, 1 waiting/)
    running.type(CTRL_C)
    expect((await running.ended).exitCode).toBe(130)
    const { batches } = await client.get<{ batches: { status: string }[] }>('/batches')
    expect(batches).toMatchObject([{ status: 'canceled' }])
  })

  test('--no-wait prints the id, and haul cancel takes it', async () => {
    const input = urls('generated/30000000.mp4?ratePerSecond=500000&again')
    const { stdout } = await command.run(['batch', '-', '--metadata', 'show=news', '--no-wait'], { env, input })
    expect(stdout).toMatch(/^bat_\w+\n$/)
    expect(await client.get(`/batches/${stdout.trim()}`)).toMatchObject({ metadata: { show: 'news' } })
    expect(await haul('cancel', stdout.trim())).toMatchObject({ exitCode: 0 })
  })
})

describe('the key', () => {
  const loginFile = () => inFolder('config/haul/login.json')
  const home = () => ({ XDG_CONFIG_HOME: inFolder('config') })

  test('haul login reads a key from stdin, tries it, and stores it for its owner only', async () => {
    const args = ['login', '--url', `${site.haul.baseUrl}/`]
    const login = await command.run(args, { env: home(), input: `${client.apiKey}\n` })
    expect(login).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^Logged in as test \(acct_\w+\), \$10\.00/),
    })
    expect(login.stdout + login.stderr).not.toContain(client.apiKey)
    expect((await stat(loginFile())).mode & 0o777).toBe(0o600)
    expect(await command.run(['account', '--json'], { env: home() })).toMatchObject({ exitCode: 0 })
  })

  test('on a terminal the key is not shown', async () => {
    const running = command.startInTerminal(['login'], { env: home() })
    await running.printed(/Address of Haul: $/)
    running.type(`${site.haul.baseUrl}\n`)
    await running.printed(/API key \(not shown\): $/)
    running.type(`x\u007f${client.apiKey}\r`)
    const { stdout, exitCode } = await running.ended
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Logged in as test') })
    expect(stdout).not.toContain(client.apiKey)
  })

  test('a key that is refused is not stored', async () => {
    const args = ['login', '--url', site.haul.baseUrl]
    expect(await command.run(args, { env: home(), input: 'wrong' })).toMatchObject({ exitCode: 2 })
    await expect(stat(loginFile())).rejects.toThrow('ENOENT')
  })

  test('in a checkout with npm start running nothing needs to be set', async () => {
    const inside = inFolder('checkout/folder')
    await mkdir(inside, { recursive: true })
    const { stateDir } = inject('product')
    expect((await command.run(['account'], { cwd: inside, env: { HAUL_STATE: stateDir } })).exitCode).toBe(0)
    await promisify(execFile)('ln', ['-s', stateDir, inFolder('checkout/.haul')])
    const { stdout, exitCode } = await command.run(['account'], { cwd: inside })
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringMatching(/^demo \(acct_/) })
  })

  test('without a key one sentence says how to get one, and the exit code is 2', async () => {
    const { stdout, stderr, exitCode } = await command.run(['account'], { env: {} })
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 })
    expect(stderr).toMatch(/^haul: There is no API key: run `haul login` .*\n$/)
  })
})
