import { relative } from 'node:path'
import type { TestModule } from 'vitest/node'

/** `failed`: titles of tests, and of suites whose hook failed. `problem`: why the run says nothing about the bug. */
export type Finding = { failed: string[] } | { problem: string }

/** Every test finds code that cannot be parsed, so the bug is a mistake in the table. */
const INVALID_CODE = /SyntaxError|Transform failed|PARSE_ERROR|Parse failure|IndentationError/

export const findingIn = (modules: TestModule[], folder: string): Finding => {
  const failures = modules.flatMap((module) => failuresIn(module, relative(folder, module.moduleId)))
  const messages = failures.flatMap((failure) => failure.messages)
  const invalid = messages.find((message) => INVALID_CODE.test(message))
  if (invalid) return { problem: `the code is not valid: ${invalid.slice(0, 400)}` }
  const failed = failures.filter(({ isLoaded }) => isLoaded)
  if (failed.length > 0) return { failed: failed.map(({ title }) => title) }
  const [unloaded] = failures
  if (unloaded) return { problem: `${unloaded.title} cannot be loaded: ${unloaded.messages[0]?.slice(0, 400)}` }
  return modules.length === 0 ? { problem: 'no test has run' } : { failed: [] }
}

/** When a `beforeAll` fails, its file or suite has the errors, and the tests in it are skipped. */
const failuresIn = (module: TestModule, file: string) => {
  const isLoaded = module.children.size > 0
  const suites = [...module.children.allSuites()].map((suite) => ({
    title: `${file}: ${suite.fullName}`,
    errors: suite.errors(),
  }))
  const tests = [...module.children.allTests('failed')].map((test) => ({
    title: `${file}: ${test.fullName}`,
    errors: test.result().errors ?? [],
  }))
  const hooked = [{ title: file, errors: module.errors() }, ...suites].filter(({ errors }) => errors.length > 0)
  return [...tests, ...hooked].map(({ title, errors }) => ({
    title,
    isLoaded,
    messages: errors.map(({ message }) => message),
  }))
}
