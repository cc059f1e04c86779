// What the pages of comparisons read.
import type { AuditDeps } from '../acts/audit.sql.js'
import type { ConsolePages } from '../pages/console-frame.js'

export type ComparePages = ConsolePages & AuditDeps
