import type { CallToolResult } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DrippingSource, FILM_BYTES, startDrippingSource } from '../../doubles/origin/dripping-source.ts'
import type { AccountClient } from '../../support/product/api-client.ts'
import { call, connectMcp, dataOf, ended, type Version } from '../../support/product/mcp.ts'
import { product } from '../../support/product/product.ts'

/** MCP as an agent uses it: the official client over HTTP, and the whole product behind it. */
const site = product()
let dripping: DrippingSource
let account: AccountClient

beforeAll(async () => {
  ;[dripping, account] = await Promise.all([startDrippingSource(), site.newClient()])
})

afterAll(() => dripping?.close())

const connect = (version: Version = 'auto', apiKey = account.apiKey) => connectMcp(site, apiKey, version)

const textOf = ({ content }: CallToolResult): string =>
  content.flatMap((block) => (block.type === 'text' ? block.text : [])).join('\n')

test.each<[Version, string, string]>([
  ['auto', '2026-07-28', 'page/video.html'],
  ['legacy', '2025-11-25', 'media/hls-subtitles/master.m3u8'],
])(
  'a client that connects with "%s" speaks version %s, and looks at captions, buys them for one cent and reads them',
  async (version, spoken, path) => {
    const client = await connect(version)
    expect(client.getNegotiatedProtocolVersion()).toBe(spoken)
    expect(client.getInstructions()).toContain('transcribe')
    // From now on the client checks the data of each tool against its schema.
    expect((await client.listTools()).tools).toHaveLength(8)
    const url = site.media(path)
    const looked = await call(client, 'look', { url })
    expect(dataOf(looked)).toMatchObject({ is_playlist: false, transcribe: { captions: 0.01 } })

    const before = await account.account()
    const transcribed = await ended(client, 'transcribe', { url })
    const { job_id, text, charged_dollars, available_dollars } = dataOf(transcribed)
    expect(text).toMatch(/^\[\d+(?:\.\d)?\] \S/)
    expect(textOf(transcribed)).toContain(text)
    const after = await account.account()
    expect([charged_dollars, available_dollars]).toEqual([0.01, after.availableDollars])
    expect(before.balanceDollars - after.balanceDollars).toBeCloseTo(0.01, 6)
    const page = await call(client, 'read_transcript', { job_id })
    expect(dataOf(page).text).toBe(text)
  },
)

test('a client with a wrong key cannot connect', async () => {
  await expect(connect('auto', 'haul_wrong')).rejects.toThrow()
  await expect(connect('legacy', 'haul_wrong')).rejects.toThrow()
})

test('a job is followed with its progress, and answered when it ends', async () => {
  const client = await connect()
  await client.listTools()
  const job_id = await account.start({ url: `${dripping.url}/slow.mp4` })
  const isDownloading = Promise.withResolvers<void>()
  const onprogress = ({ message = '' }) => {
    if (message.startsWith('downloading')) isDownloading.resolve()
  }
  const checking = client.callTool({ name: 'check_job', arguments: { job_id } }, { onprogress })
  await Promise.race([isDownloading.promise, checking])
  dripping.release()
  const result = (await checking) as CallToolResult
  expect(dataOf(result)).toMatchObject({ status: 'completed', file: { size_bytes: FILM_BYTES } })
})
