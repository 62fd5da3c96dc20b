import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkSync } from 'recheck'
import { expect, test } from 'vitest'
import { parseAst } from 'vitest/node'
import { accessKeyIdRule, bucketNameRule, endpointRule, regionRule } from '../../../../domain/bucket/bucket-rules.ts'
import { filenameRule, pathRule } from '../../../../domain/bucket/object-name.ts'
import { storageKeyRule } from '../../../../domain/bucket/storage-key.ts'
import { idPattern } from '../../../../domain/ids.ts'

/** These files make expressions of rules that the OpenAPI document shows too. The second test checks the rules. */
const madeOfRules = ['domain/text-rule.ts', 'worker/http/pagination.ts']
/** The library, whose expressions read what its own caller has written. */
const generated = 'console/assets/haul-client.js'

/**
 * A regular expression that backtracks takes quadratic or exponential time for some text, and most text here comes
 * from strangers. The expressions are found in the syntax tree, so none is missed: literals, and calls of RegExp with
 * text that is known before the program runs.
 */
interface Expression {
  source: string
  flags: string
}

type Node = { type: string } & Record<string, unknown>

const isNode = (value: unknown): value is Node => typeof (value as Node | null)?.type === 'string'

function* nodesIn(value: unknown): Generator<Node> {
  if (isNode(value)) yield value
  if (value && typeof value === 'object') for (const child of Object.values(value)) yield* nodesIn(child)
}

const expressionsIn = (code: string): Expression[] => {
  const nodes = Array.from(nodesIn(parseAst(code, { lang: 'ts' })))
  const texts = new Map<string, string>()
  const textOf = (node: unknown): string => {
    if (!isNode(node)) return ''
    if (node.type === 'Literal' && typeof node.value === 'string') return node.value
    if (node.type === 'TemplateLiteral') {
      const { quasis, expressions } = node as unknown as {
        quasis: { value: { cooked: string } }[]
        expressions: Node[]
      }
      return quasis.map(({ value }, index) => value.cooked + textOf(expressions[index])).join('')
    }
    const known = node.type === 'Identifier' && texts.get(String(node.name))
    if (typeof known === 'string') return known
    throw new Error(`a regular expression of text that is only known at run time: ${node.type} ${node.name}`)
  }
  const isText = (node: unknown) => isNode(node) && (typeof node.value === 'string' || node.type === 'TemplateLiteral')
  return nodes.flatMap((node) => {
    const { id, init, callee, arguments: args } = node as Node & { id?: Node; init?: Node; callee?: Node }
    if (node.type === 'VariableDeclarator' && id?.type === 'Identifier' && isText(init)) {
      try {
        texts.set(String(id.name), textOf(init))
      } catch {
        // Text that is only known at run time matters only where a regular expression is made of it.
      }
    }
    if (node.type === 'Literal' && node.regex) {
      const { pattern, flags } = node.regex as { pattern: string; flags: string }
      return [{ source: pattern, flags }]
    }
    const isCall = node.type === 'NewExpression' || node.type === 'CallExpression'
    if (!isCall || callee?.type !== 'Identifier' || callee.name !== 'RegExp') return []
    const [source, flags] = args as unknown[]
    return [{ source: textOf(source), flags: textOf(flags) }]
  })
}

/** Several expressions are in more than one file. */
const verdicts = new Map<string, string | null>()

const attackOn = (expression: Expression): string | null => {
  const key = `/${expression.source}/${expression.flags}`
  const verdict = verdicts.has(key) ? (verdicts.get(key) ?? null) : checked(expression)
  verdicts.set(key, verdict)
  return verdict
}

/** The text for which an expression backtracks, or null. There are no time limits, so a busy machine changes nothing. */
const checked = ({ source, flags }: Expression): string | null => {
  const result = checkSync(source, flags, { randomSeed: 1, timeout: null, attackTimeout: null })
  if (result.status === 'safe') return null
  return result.status === 'vulnerable' ? result.attack.pattern : 'text that the checker does not know'
}

test('every regular expression takes linear time', { timeout: 120_000 }, () => {
  const root = join(import.meta.dirname, '../../../..')
  const files = globSync('{container,domain,worker,console}/**/*.{ts,js}', {
    cwd: root,
    exclude: [...madeOfRules, generated],
  })
  const found = files.flatMap((file) =>
    expressionsIn(readFileSync(join(root, file), 'utf8')).map((expression) => ({ file, ...expression })),
  )
  expect(found.length).toBeGreaterThan(150)
  const slow = found.flatMap((each) => {
    const attack = attackOn(each)
    return attack === null ? [] : [`${each.file}: /${each.source}/${each.flags} with ${attack}`]
  })
  expect(slow).toEqual([])
})

test.each([
  ['a bucket name', bucketNameRule.pattern],
  ['a region', regionRule.pattern],
  ['an access key ID', accessKeyIdRule.pattern],
  ['an endpoint', endpointRule.pattern],
  ['a path', pathRule().pattern],
  ['a file name', filenameRule.pattern],
  ['a template of keys', storageKeyRule.pattern],
  ['a cursor', `^(?:${idPattern('import', 'transcription')})?$`],
])('the rule for %s takes linear time', (_, source) => expect(attackOn({ source, flags: '' })).toBeNull())

test.each([
  ['a literal', 'const a = /a/g', { source: 'a', flags: 'g' }],
  ['a literal after a parenthesis, where a slash may divide', 'if (b) /a"/.test(c)', { source: 'a"', flags: '' }],
  ['a call with text', "const a = new RegExp('a', 'u')", { source: 'a', flags: 'u' }],
  ['a call with a template', `const a = 'x'; const b = RegExp(\`[\${a}\\\\d]\`)`, { source: '[x\\d]', flags: '' }],
])('%s is found', (_, code, expression) => expect(expressionsIn(code)).toEqual([expression]))

test('division, comments and text are not regular expressions', () => {
  expect(expressionsIn("const a = b / c / d // /x/\nconst e = '/x/'")).toEqual([])
})

test('an expression of text that is only known at run time is refused', () => {
  expect(() => expressionsIn('const a = (b: string) => new RegExp(b)')).toThrow('only known at run time')
})

test.each([
  ['trailing white space', '\\s+$'],
  ['text between two patterns', '<\\?[^]*?\\?>'],
  ['nested repetitions', '^(a+)+$'],
])('%s is reported', (_, source) => expect(attackOn({ source, flags: '' })).not.toBeNull())
