import { inject } from 'vitest'
import { takePortsFrom } from '../loopback.ts'
import { takePort } from '../ports.ts'

/** The servers of product tests listen where the product may connect to them. */
takePortsFrom(() => takePort(inject('product').ports))
