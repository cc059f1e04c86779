// What codes bring to the service.
import type { Capability } from '../acts/capability.js'
import type { CodePagesDeps } from './portal-code.route.js'
import { codePages } from './portal-part.js'

export const codes: Capability<CodePagesDeps> = { name: 'codes', portal: codePages }
