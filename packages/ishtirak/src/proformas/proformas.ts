// Proformas as a capability: calls and the portal page.
import type { Capability } from '../acts/capability.js'
import type { HistoryDeps } from '../checkout/history.js'
import { proformaPages } from './portal-part.js'
import { proformaCalls } from './proforma.call.js'
import type { ProformaDeps } from './proforma.js'

export const proformas: Capability<ProformaDeps & HistoryDeps> = {
  name: 'proformas',
  calls: proformaCalls,
  portal: proformaPages,
}
