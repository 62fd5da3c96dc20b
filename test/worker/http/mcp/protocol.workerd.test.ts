import { expect, test } from 'vitest'
import { refusals } from '../../../../domain/codes/refusals.ts'
import { accept, rpcMessage } from '../../../support/mcp-messages.ts'
import { asOperator, callApi, newCaller, ORIGIN } from '../../support/caller.ts'
import { expectLogged } from '../../support/expected-log.ts'
import { rpc } from '../../support/mcp.ts'

const caller = await newCaller()

test('a client of the current version of the protocol lists the eight tools without a handshake', async () => {
  const { status, message } = await rpc(caller, 'tools/list')
  expect(status).toBe(200)
  expect(message.result.tools.map(({ name }: { name: string }) => name)).toEqual([
    'look',
    'transcribe',
    'read_transcript',
    'import_media',
    'check_job',
    'cancel_job',
    'watch',
    'search',
  ])
})

test('a client of an earlier version of the protocol gets no session', async () => {
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
  const { status, headers, message } = await rpc(caller, 'initialize', params, { era: '2025-06-18' })
  expect(status).toBe(200)
  expect(message.result).toMatchObject({ protocolVersion: '2025-06-18', serverInfo: { name: 'haul' } })
  expect(message.result.instructions).toContain('Haul')
  expect(headers.get('mcp-session-id')).toBeNull()
  const listed = await rpc(caller, 'tools/list', {}, { era: '2025-06-18' })
  expect(listed.message.result.tools).toHaveLength(8)
})

test('the schemas of the tools need no reference and describe each argument', async () => {
  const { message } = await rpc(caller, 'tools/list')
  for (const { name, inputSchema, outputSchema, description, annotations } of message.result.tools) {
    expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false })
    expect(outputSchema.type).toBe('object')
    expect(description.length).toBeGreaterThan(80)
    expect(description.length).toBeLessThan(700)
    expect(annotations).toHaveProperty('readOnlyHint')
    for (const [argument, schema] of Object.entries<{ description?: string }>(inputSchema.properties)) {
      expect([name, argument, schema.description]).toEqual([name, argument, expect.stringMatching(/\w/)])
    }
    const schemas = JSON.stringify([inputSchema, outputSchema])
    for (const keyword of ['"$ref"', '"oneOf"', '"allOf"', '"anyOf"', '"null"']) expect(schemas).not.toContain(keyword)
  }
})

test('the tools name the prices of the account, or say that they are free', async () => {
  const own = await newCaller()
  const said = async () => {
    const [{ message }, { message: begun }] = [
      await rpc(own, 'tools/list'),
      await rpc(
        own,
        'initialize',
        { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
        { era: '2025-06-18' },
      ),
    ]
    const tools: { name: string; description: string }[] = message.result.tools
    const of = (name: string) => tools.find((tool) => tool.name === name)?.description
    return [of('transcribe'), of('import_media'), begun.result.instructions]
  }
  expect(await said()).toEqual([
    expect.stringContaining(
      'Captions: $0.01. Recognition: $0.02 for each minute, at least $0.03, and the download: $0.01 for each MB.',
    ),
    expect.stringContaining('which works for 7 days. The download: $0.01 for each MB;'),
    expect.stringContaining("Calls cost the user's money"),
  ])
  await asOperator('PATCH', `/admin/accounts/${own.accountId}`, { prices: { captions: 0.002, downloadPerMegabyte: 0 } })
  expect((await said()).slice(0, 2)).toEqual([
    expect.stringContaining(
      'Captions: $0.002. Recognition: $0.02 for each minute, at least $0.03, and the download: free.',
    ),
    expect.stringContaining('The download: free;'),
  ])
  await asOperator('PATCH', `/admin/accounts/${own.accountId}`, { prices: 'free' })
  expect(await said()).toEqual([
    expect.stringContaining('Both are free.'),
    expect.stringContaining('The download: free;'),
    expect.stringContaining('Calls are free.'),
  ])
})

test.each([
  ['no key', null],
  ['a forged key', 'haul_forged'],
])('a request with %s is refused before its message is read', async (_, key) => {
  const response = await callApi('POST', '/mcp', { key, body: rpcMessage('tools/list'), headers: accept })
  expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
  expect(response.body).toEqual({
    jsonrpc: '2.0',
    id: null,
    error: {
      code: -32_000,
      message: refusals.UNAUTHORIZED.message,
      data: { code: 'UNAUTHORIZED', requestId: response.headers.get('x-request-id') },
    },
  })
})

test.each(['tools/list', 'tools/call'])(
  'a revoked key is refused for %s, in both versions of the protocol',
  async (method) => {
    const revoked = await newCaller()
    await callApi('DELETE', `/admin/accounts/${revoked.accountId}/keys/${revoked.keyId}`, { key: 'admin-token' })
    const params = method === 'tools/call' ? { name: 'check_job', arguments: { job_id: 'imp_x' } } : {}
    const message = rpcMessage(method, params)
    const refused = await callApi('POST', '/mcp', { key: revoked.apiKey, body: message, headers: accept })
    expect([refused.status, refused.body.id]).toEqual([401, message.id])
    expect((await rpc(revoked, method, params, { era: '2025-06-18' })).status).toBe(401)
  },
)

test.each([
  ['https://other.example', 403],
  ['null', 403],
  ['http://haul.test', 403],
  [ORIGIN, 200],
])('a request from a page of %s is answered with %i', async (origin, status) => {
  const response = await rpc(caller, 'tools/list', {}, { headers: { origin } })
  expect(response.status).toBe(status)
})

test.each(['GET', 'DELETE'])('%s is not allowed, because there are no sessions', async (method) => {
  const { status, headers } = await callApi(method, '/mcp', { key: caller.apiKey })
  expect([status, headers.get('allow')]).toEqual([405, 'POST'])
})

test.each([
  ['text that is not JSON', '{"jsonrpc"', 400],
  ['a batch', [rpcMessage('tools/list'), rpcMessage('tools/list')], 400],
  ['a string', '"tools/list"', 400],
  ['null', 'null', 400],
  ['an object that is no message', { hello: 'world' }, 400],
  ['an answer', { jsonrpc: '2.0', id: 1, result: {} }, 202],
  ['a notification', { jsonrpc: '2.0', method: 'notifications/initialized' }, 202],
  ['more than 64 KiB', { ...rpcMessage('tools/list'), padding: 'x'.repeat(70_000) }, 413],
])('%s is answered with its status and without a fault', async (_, body, status) => {
  const response = await callApi('POST', '/mcp', { key: caller.apiKey, body, headers: accept })
  expect([response.status, response.body]).toEqual([status, expect.anything()])
})

test('a body that is not declared as JSON is refused', async () => {
  const headers = { ...accept, 'content-type': 'text/plain' }
  const { status } = await callApi('POST', '/mcp', { key: caller.apiKey, body: '{}', headers })
  expect(status).toBe(415)
})

test('a version of the protocol that does not exist is refused with those that do', async () => {
  const { status, message } = await rpc(caller, 'tools/list', {}, { version: '2031-01-01' })
  expect(status).toBe(400)
  expect(message.error.data.supported).toContain('2026-07-28')
})

test('a header that names another method than the message is refused', async () => {
  expectLogged('warn', /^req_\w+ mcp Error: .*method-header-mismatch/)
  const { status, message } = await rpc(caller, 'tools/list', {}, { headers: { 'mcp-method': 'tools/call' } })
  expect([status, message.error.code]).toEqual([400, -32_020])
})

test('an unknown method and an unknown tool are errors of the protocol', async () => {
  const method = await rpc(caller, 'resources/unheard-of')
  expect([method.status, method.message.error.code]).toEqual([404, -32_601])
  const tool = await rpc(caller, 'tools/call', { name: 'rm', arguments: {} })
  expect(tool.message.error).toMatchObject({ code: -32_602, message: expect.stringContaining('rm') })
  for (const name of ['constructor', '__proto__']) {
    expect((await rpc(caller, 'tools/call', { name, arguments: {} })).message.error.code).toBe(-32_602)
  }
})

test('nobody can keep a stream of changes open, because tools do not change', async () => {
  const { message } = await rpc(caller, 'subscriptions/listen', { notifications: { toolsListChanged: true } })
  expect(message.error.message).toContain('limit')
})

test('messages count as general requests, and a tool call as the requests that it makes', async () => {
  const counted = await newCaller()
  const remaining = async () => {
    const response = await counted.get('/account')
    return Number(response.headers.get('x-ratelimit-remaining'))
  }
  const first = await remaining()
  await rpc(counted, 'tools/list')
  await rpc(counted, 'nonsense')
  const second = await remaining()
  expect(first - second).toBe(3)
  await rpc(counted, 'tools/call', { name: 'check_job', arguments: { job_id: 'imp_x' } })
  // The balance. The job counts as a status read.
  expect(second - (await remaining())).toBe(2)
  const { headers } = await rpc(counted, 'tools/call', { name: 'check_job', arguments: {} }, { era: '2025-06-18' })
  expect(Number(headers.get('x-ratelimit-remaining'))).toBe(second - 2)
})
