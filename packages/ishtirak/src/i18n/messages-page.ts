// The sentences around every page, and those of the page that the provider sends the payer back to. That page never says
// "paid" or "failed" on the word of the redirect, and shows nothing of the user: its address is enough to read it.
import type { Translated } from '../core/locale.js'

export const PAGE_MESSAGES = {
  language: { ar: 'اللغة', fr: 'Langue', en: 'Language' },
  backToSeller: { ar: 'العودة إلى {seller}', fr: 'Retour chez {seller}', en: 'Back to {seller}' },
  terms: { ar: 'شروط البيع', fr: 'Conditions de vente', en: 'Terms of sale' },
  refundPolicy: { ar: 'استرجاع المبالغ', fr: 'Remboursements', en: 'Refunds' },
  backToPortal: {
    ar: 'العودة إلى اشتراكك',
    fr: 'Retour à votre abonnement',
    en: 'Back to your subscription',
  },
  openPortal: { ar: 'عرض اشتراكك', fr: 'Voir votre abonnement', en: 'See your subscription' },
  tryAgain: { ar: 'أعد المحاولة', fr: 'Réessayer', en: 'Try again' },
  tryAgainIn: {
    ar: 'المدة المتبقية قبل إعادة المحاولة: {time}.',
    fr: 'Réessayez dans {time}.',
    en: 'Try again in {time}.',
  },
  supportReference: {
    ar: 'إن اتصلت بالدعم فاذكر:',
    fr: 'Référence pour l’assistance :',
    en: 'For support, quote:',
  },

  frontTitle: {
    ar: 'اشتراكك لدى {seller}',
    fr: 'Votre abonnement chez {seller}',
    en: 'Your subscription with {seller}',
  },
  frontText: {
    ar: 'اطّلع على باقتك واستعمالك، وجدّد اشتراكك، وحمّل إيصالاتك.',
    fr: 'Consultez votre offre et votre utilisation, renouvelez votre abonnement, retrouvez vos reçus.',
    en: 'See your plan and your usage, renew your subscription, find your receipts.',
  },
  apiDocuments: {
    ar: 'للمطورين: وثائق الواجهة البرمجية (API)',
    fr: 'Développeurs : documentation de l’API',
    en: 'Developers: API documentation',
  },

  noSessionTitle: {
    ar: 'افتح اشتراكك من {seller}',
    fr: 'Ouvrez votre abonnement depuis {seller}',
    en: 'Open your subscription from {seller}',
  },
  noSessionText: {
    ar: 'لا توجد جلسة مفتوحة في هذا المتصفح، أو انتهت مدتها. سجّل الدخول إلى {seller}، ثم افتح صفحة اشتراكك.',
    fr: 'Aucune session n’est ouverte dans ce navigateur, ou elle a expiré. Connectez-vous chez {seller} et ouvrez votre abonnement.',
    en: 'No session is open in this browser, or it has expired. Log in to {seller} and open your subscription.',
  },
  askForLinkTitle: { ar: 'ادخل إلى اشتراكك', fr: 'Accédez à votre abonnement', en: 'Open your subscription' },
  askForLinkText: {
    ar: 'اكتب عنوان بريدك الإلكتروني، وسنرسل إليك رابطًا يعمل مرة واحدة.',
    fr: 'Indiquez votre adresse e-mail : nous vous enverrons un lien à usage unique.',
    en: 'Enter your e-mail address and we will send you a link that works once.',
  },
  emailAddress: { ar: 'البريد الإلكتروني', fr: 'Adresse e-mail', en: 'E-mail address' },
  emailWrong: {
    ar: 'هذا ليس عنوان بريد إلكتروني كاملًا.',
    fr: 'Cette adresse e-mail n’est pas complète.',
    en: 'This is not a complete e-mail address.',
  },
  sendLink: { ar: 'أرسل الرابط', fr: 'Envoyer le lien', en: 'Send the link' },
  linkSentTitle: { ar: 'تفقّد بريدك', fr: 'Consultez votre messagerie', en: 'Check your e-mail' },
  linkSentText: {
    ar: 'إن كان هذا العنوان معروفًا لدينا، فسيصلك رابط خلال دقائق. يعمل مرة واحدة ولمدة 30 دقيقة فقط. تفقّد أيضًا البريد غير المرغوب فيه. لا نرسل أكثر من رابط كل خمس دقائق.',
    fr: 'Si nous connaissons cette adresse, un lien à usage unique, valable 30 minutes, vous parviendra dans quelques minutes. Vérifiez aussi le courrier indésirable. Nous n’envoyons pas plus d’un lien toutes les cinq minutes.',
    en: 'If we know this address, a link will arrive within a few minutes. It works once, within 30 minutes. Check the spam folder too. We send at most one link every five minutes.',
  },
  signInTitle: { ar: 'افتح اشتراكك', fr: 'Ouvrez votre abonnement', en: 'Open your subscription' },
  signInText: {
    ar: 'اضغط الزر لفتح صفحة اشتراكك في هذا المتصفح.',
    fr: 'Appuyez sur le bouton pour ouvrir votre abonnement dans ce navigateur.',
    en: 'Press the button to open your subscription in this browser.',
  },
  linkOverTitle: {
    ar: 'هذا الرابط لم يعد صالحًا',
    fr: 'Ce lien n’est plus valable',
    en: 'This link is no longer valid',
  },
  linkOverText: {
    ar: 'يعمل كل رابط مرة واحدة ولمدة خمس دقائق فقط. عُد إلى {seller} وافتح صفحة اشتراكك من جديد.',
    fr: 'Chaque lien fonctionne une seule fois et reste valable cinq minutes. Retournez chez {seller} et ouvrez de nouveau votre abonnement.',
    en: 'Each link works once, within five minutes. Go back to {seller} and open your subscription again.',
  },
  mailedLinkOverText: {
    ar: 'يعمل كل رابط مرة واحدة ولمدة 30 دقيقة فقط. اطلب رابطًا جديدًا.',
    fr: 'Chaque lien fonctionne une seule fois et reste valable 30 minutes. Demandez-en un nouveau.',
    en: 'Each link works once, within 30 minutes. Request a new one.',
  },
  requestLink: { ar: 'اطلب رابطًا جديدًا', fr: 'Demander un nouveau lien', en: 'Request a new link' },
  switchTitle: {
    ar: 'هذا الرابط يفتح حسابًا آخر',
    fr: 'Ce lien ouvre un autre compte',
    en: 'This link opens another account',
  },
  switchText: {
    ar: 'هذا المتصفح مفتوح باسم {current}، والرابط يخص {other}. إن لم تطلب هذا الرابط بنفسك فابقَ حيث أنت: ما تدفعه هناك يُحتسب للحساب الآخر.',
    fr: 'Ce navigateur est ouvert pour {current} ; le lien est celui de {other}. Si vous ne l’avez pas demandé vous-même, restez où vous êtes : ce que vous y paieriez compterait pour l’autre compte.',
    en: 'This browser is open for {current}; the link belongs to {other}. If you did not ask for it yourself, stay where you are: what you pay there counts for the other account.',
  },
  switchStay: { ar: 'البقاء في حسابي', fr: 'Rester sur mon compte', en: 'Stay in my account' },
  switchGo: { ar: 'فتح الحساب الآخر', fr: 'Ouvrir l’autre compte', en: 'Open the other account' },
  staleFormTitle: {
    ar: 'لم يُنفَّذ هذا الطلب',
    fr: 'Cette demande n’a pas été exécutée',
    en: 'This request was not carried out',
  },
  staleFormText: {
    ar: 'لم يأتِ الطلب من صفحة صالحة من صفحاتنا. افتح اشتراكك وأعد المحاولة؛ لم يُخصم شيء.',
    fr: 'Cette demande ne provient pas d’une page valide de notre site. Ouvrez votre abonnement et réessayez ; rien n’a été débité.',
    en: 'The request did not come from a valid page of ours. Open your subscription and try again; nothing was charged.',
  },

  returnPaidTitle: { ar: 'تم الدفع', fr: 'Paiement reçu', en: 'Payment received' },
  returnPaidText: {
    ar: 'شكرًا لك. باقة {plan} مدفوعة إلى غاية {end}.',
    fr: 'Merci. L’offre {plan} est payée jusqu’au {end}.',
    en: 'Thank you. The {plan} plan is paid until {end}.',
  },
  returnPaidGraceText: {
    ar: 'استلمنا دفعتك. انتهت مدتك المدفوعة في {date}، وكل شيء يعمل إلى غاية {end}: جدّد قبل ذلك.',
    fr: 'Nous avons reçu votre paiement. Votre période payée s’est terminée le {date} ; tout fonctionne encore jusqu’au {end} : renouvelez avant.',
    en: 'We received your payment. Your paid time ended on {date}; everything keeps working until {end}: renew before then.',
  },
  returnPaidOverText: {
    ar: 'استلمنا هذه الدفعة. انتهى الاشتراك في {date}، وأنت الآن على الباقة المجانية.',
    fr: 'Nous avons reçu ce paiement. L’abonnement a pris fin le {date} ; vous êtes sur l’offre gratuite.',
    en: 'We received this payment. The subscription ended on {date}; you are on the free plan now.',
  },
  returnPaidStoppedText: {
    ar: 'استلمنا هذه الدفعة. أُوقف الاشتراك في {date}، وأنت الآن على الباقة المجانية. إن كان لديك سؤال فاتصل بـ{seller}: {phone}.',
    fr: 'Nous avons reçu ce paiement. L’abonnement a été arrêté le {date} ; vous êtes sur l’offre gratuite. Une question ? Contactez {seller} : {phone}.',
    en: 'We received this payment. The subscription was stopped on {date}; you are on the free plan now. Questions? Contact {seller}: {phone}.',
  },
  returnPendingTitle: {
    ar: 'ننتظر تأكيد البنك',
    fr: 'Nous attendons la confirmation de la banque',
    en: 'We are waiting for the bank',
  },
  returnPendingText: {
    ar: 'إن كنت قد دفعت فلا تدفع مرة أخرى. تُحدَّث هذه الصفحة من تلقاء نفسها، وعادةً ما يصل التأكيد خلال دقيقة.',
    fr: 'Si vous avez payé, ne recommencez pas. Cette page se met à jour toute seule ; la confirmation arrive en général en moins d’une minute.',
    en: 'If you have paid, do not pay again. This page refreshes itself; the confirmation usually arrives within a minute.',
  },
  returnStillPendingText: {
    ar: 'لم يصل التأكيد بعد. يمكنك إغلاق هذه الصفحة: نسأل خدمة الدفع بأنفسنا، ويُحتسب دفعك حالما تؤكده.',
    fr: 'La confirmation n’est pas encore arrivée. Vous pouvez fermer cette page : nous interrogeons nous-mêmes le prestataire et votre paiement sera pris en compte dès sa confirmation.',
    en: 'The confirmation has not arrived yet. You can close this page: we keep asking the provider ourselves, and your payment counts as soon as it is confirmed.',
  },
  checkNow: { ar: 'تحقّق الآن', fr: 'Vérifier maintenant', en: 'Check now' },
  notPaidYet: {
    ar: 'لم أدفع بعد: صفحة الدفع',
    fr: 'Je n’ai pas encore payé : page de paiement',
    en: 'I have not paid yet: payment page',
  },
  returnFailedTitle: { ar: 'لم ينجح الدفع', fr: 'Le paiement a échoué', en: 'The payment failed' },
  returnFailedText: {
    ar: 'لم تُقبل البطاقة. السبب في أغلب الأحيان هو الرمز المرسل عبر رسالة قصيرة (SMS): أدخله كما وصلك، قبل انتهاء صلاحيته. تحقّق أيضًا من الرصيد وتاريخ الصلاحية وكلمة السر، ثم أعد المحاولة.',
    fr: 'La carte n’a pas été acceptée. La cause la plus fréquente est le code reçu par SMS : saisissez-le tel quel, avant qu’il expire. Vérifiez aussi le solde, la date de validité et le mot de passe, puis réessayez.',
    en: 'The card was not accepted. The usual cause is the code sent by SMS: enter it exactly, before it expires. Check the balance, expiry date and password too, then try again.',
  },
  returnCanceledTitle: { ar: 'أُلغي الدفع', fr: 'Paiement annulé', en: 'Payment canceled' },
  returnCanceledText: {
    ar: 'أُلغي الدفع على صفحة الدفع، ولم يُشترَ شيء. يمكنك أن تبدأ من جديد.',
    fr: 'Le paiement a été annulé sur la page de paiement et rien n’a été acheté. Vous pouvez recommencer.',
    en: 'The payment was canceled on the payment page and nothing was bought. You can start again.',
  },
  returnExpiredTitle: {
    ar: 'انتهت مهلة الدفع',
    fr: 'Délai de paiement dépassé',
    en: 'This payment page has expired',
  },
  returnExpiredText: {
    ar: 'تُغلق صفحة الدفع بعد 30 دقيقة. إن كنت قد دفعت قبل ذلك، فسنجد دفعتك ونحتسبها.',
    fr: 'La page de paiement se ferme après 30 minutes. Si vous aviez payé avant, nous retrouverons votre paiement et il sera pris en compte.',
    en: 'The payment page closes after 30 minutes. If you paid before that, we will find your payment and count it.',
  },
  returnReviewTitle: {
    ar: 'نراجع دفعتك',
    fr: 'Nous vérifions votre paiement',
    en: 'We are checking your payment',
  },
  returnReviewText: {
    ar: 'ما أبلغتنا به خدمة الدفع لا يطابق هذا الطلب. لا تدفع مرة أخرى: لن يضيع أي مبلغ، ونحن نتحقق من الأمر.',
    fr: 'Les informations reçues du prestataire ne correspondent pas à votre commande. Ne payez pas une seconde fois : rien ne sera perdu, nous vérifions.',
    en: 'What the payment provider reported does not match this order. Do not pay again: nothing will be lost, we are looking into it.',
  },
  returnRefundedTitle: { ar: 'أُعيد المبلغ', fr: 'Paiement remboursé', en: 'Payment refunded' },
  returnRefundedText: {
    ar: 'أُعيد مبلغ هذه الدفعة.',
    fr: 'Ce paiement a été remboursé.',
    en: 'This payment was refunded.',
  },
  returnRefundedOnText: {
    ar: 'أُعيد مبلغ هذه الدفعة في {date}.',
    fr: 'Ce paiement a été remboursé le {date}.',
    en: 'This payment was refunded on {date}.',
  },
  // The words that SATIM asks merchants to print where a card payment fails (reference: its rules for failure pages).
  satim: {
    ar: 'في حال وجود مشكلة في الدفع، يُرجى الاتصال بالرقم الأخضر لساتيم (SATIM):',
    fr: 'En cas de problème de paiement, veuillez contacter le numéro vert de la SATIM :',
    en: 'If you have a problem with your payment, please call SATIM’s toll-free number:',
  },

  orderReference: { ar: 'رقم الطلب', fr: 'Commande', en: 'Order' },
  transaction: { ar: 'رقم المعاملة', fr: 'Transaction', en: 'Transaction' },
  amount: { ar: 'المبلغ', fr: 'Montant', en: 'Amount' },
  card: { ar: 'البطاقة', fr: 'Carte', en: 'Card' },
  paidAt: { ar: 'وقت الدفع', fr: 'Payé le', en: 'Paid at' },
  startedAt: { ar: 'بدأت في', fr: 'Commencé le', en: 'Started at' },
  refundedAt: { ar: 'وقت الإعادة', fr: 'Remboursé le', en: 'Refunded at' },
  period: { ar: 'المدة', fr: 'Période', en: 'Period' },
  localTime: {
    ar: '{moment} (توقيت الجزائر)',
    fr: '{moment} (heure d’Alger)',
    en: '{moment} (Algiers time)',
  },
  details: { ar: 'تفاصيل الطلب', fr: 'Détails de la commande', en: 'Order details' },
} satisfies Record<string, Translated>
