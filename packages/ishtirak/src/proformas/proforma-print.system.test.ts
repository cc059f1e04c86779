import { describeScenario } from '../../../../test/support/databases.js'
import { textOf } from '../../../../test/support/pdf.js'
import { COMPANY } from '../../../../test/support/receipt.js'
import { TRANSFER_FILE } from '../../../../test/support/setting-files.js'
import { createWorld } from '../../../../test/support/world.js'
import { setBuyer } from '../buyers/set-buyer.js'
import { mountCalls } from '../ledger/user-routes.js'
import { proformaCalls } from './proforma.call.js'

describeScenario('the PDF of a proforma', ({ database }) => {
  it('says what is sold, to whom, for which order, and until when', async () => {
    await using world = await createWorld(database(), { env: { TRANSFER_FILE } })
    await setBuyer(world.service.parts, { userId: 'user-1' }, COMPANY)
    const calls = mountCalls(world.service.parts, proformaCalls)
    const wish = { plan: 'pro', po_number: 'BC-2026/118', lang: 'fr' } as const
    const made = textOf(await calls.proforma('user-1', wish))
    const again = textOf(await calls.printProforma('user-1', 'TEST-P-2026-000001', { lang: 'fr' }))
    const said = ['Facture proforma', 'TEST-P-2026-000001', '2 000,00 DA', 'BC-2026/118', '06/12/2026']
    for (const text of [made, again])
      for (const part of [...said, COMPANY.name ?? '']) expect(text).toContain(part)
  })
})
