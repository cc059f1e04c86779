// What proformas bring to the service.
import type { Capability } from '../acts/capability.js'
import { proformaPages } from './portal-part.js'
import { type ProformaRoutesDeps, proformaCalls, proformaRoutes } from './proforma.route.js'
import './words.js'

export const proformas: Capability<ProformaRoutesDeps> = {
  name: 'proformas',
  routes: proformaRoutes,
  calls: proformaCalls,
  portal: proformaPages,
}
