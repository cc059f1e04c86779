// What facture.system looks at in Arabic, in the other languages.
import { describeDocuments } from '../../../../test/support/printed-documents.js'

describeDocuments('fr')
describeDocuments('en')
