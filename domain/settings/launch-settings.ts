import { hostsWithPorts, oneOf, port, portOrAny, text, url, wholeNumber } from './rules.ts'
import { asListed, type Setting } from './setting.ts'

/** Ports, folders and programs: what `npm start`, the own server and a container need to start. */
export const launchSettings = {
  PORT: {
    rule: portOrAny,
    default: '8787',
    about: 'the port of the Worker',
    takenBy: {
      start: asListed,
      selfHost: { rule: port, about: 'the port for callers' },
      container: { default: '8788', about: 'its port' },
    },
  },
  HOST: {
    rule: text,
    default: '127.0.0.1',
    about: 'the address on which the container listens; its image sets `0.0.0.0`',
    takenBy: {
      container: asListed,
      selfHost: { default: '0.0.0.0', about: 'the address on which it listens for callers' },
    },
  },
  ENGINE_PORT: {
    rule: portOrAny,
    default: '8788',
    about: 'the port of the container',
    takenBy: { start: asListed },
  },
  ENGINES: {
    rule: wholeNumber(1, 64),
    default: '1',
    about: 'containers to start; they share the cores and the disk, and have the ports from `ENGINE_PORT` on',
    takenBy: { start: asListed },
  },
  HAUL_STATE: {
    rule: text,
    about: 'databases, media, logs and `dev.json`; each instance needs its own',
    otherwise: '`.haul/`',
    takenBy: { start: asListed },
  },
  HAUL_SPEECH: {
    rule: oneOf('on', 'off'),
    default: 'on',
    about: '`off` starts without the built-in speech engine (downloads of 214 MB)',
    takenBy: { start: asListed },
  },
  ENGINE_IMAGE: {
    rule: text,
    about: 'an image that `npm run test:image` has built, to run the containers from',
    otherwise: 'none: they are plain processes',
    takenBy: { start: asListed },
  },
  DATA_DIR: {
    rule: text,
    default: '/data',
    about: 'the folder of all data and secrets',
    takenBy: { selfHost: asListed },
  },
  INTERNAL_URL: {
    rule: url('http://haul:8789'),
    about: 'where engines reach this server',
    otherwise: '`http://haul` with `INTERNAL_PORT`',
    takenBy: { selfHost: asListed },
  },
  INTERNAL_PORT: {
    rule: port,
    default: '8789',
    about: 'the port for engines, which must never be published',
    takenBy: { selfHost: asListed },
  },
  INTERNAL_HOST: {
    rule: text,
    default: '0.0.0.0',
    about: 'the address on which it listens for engines',
    takenBy: { selfHost: asListed },
  },
  ENGINE_HOSTS: {
    rule: hostsWithPorts('engine:8788'),
    default: 'engine:8788',
    about: 'where the engines are. Each address of a name is an engine',
    takenBy: { selfHost: asListed },
  },
  ENGINE_TOKEN_FILE: {
    rule: text,
    about: 'a file with the `ENGINE_TOKEN`, for when that is not set',
    takenBy: {
      container: asListed,
      selfHost: { about: 'the `ENGINE_TOKEN` is also written into this file, for the engines to read' },
    },
  },
  BUILD_DIR: {
    rule: text,
    about: "the Worker's bundle, as `node self-host/build.ts` writes it",
    otherwise: '`dist/`',
    takenBy: { selfHost: asListed },
  },
} as const satisfies Record<string, Setting>
