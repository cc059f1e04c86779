// The sentences of our mail. Each mail has a subject, a sentence that says what is, and one that says what to do.
import type { Translated } from '../core/locale.js'

export const MAIL_MESSAGES = {
  mail_greeting: { ar: 'مرحبًا {name}،', fr: 'Bonjour {name},', en: 'Hello {name},' },
  mail_greetingUnnamed: { ar: 'مرحبًا،', fr: 'Bonjour,', en: 'Hello,' },
  mail_renewButton: { ar: 'تجديد الاشتراك', fr: 'Renouveler', en: 'Renew' },
  mail_linkButton: { ar: 'فتح اشتراكك', fr: 'Ouvrir votre abonnement', en: 'Open your subscription' },
  mail_portal_link_subject: {
    ar: 'رابط الدخول إلى اشتراكك',
    fr: 'Votre lien d’accès à votre abonnement',
    en: 'Your link to your subscription',
  },
  mail_portal_link_what: {
    ar: 'طُلب رابط للدخول إلى صفحة اشتراكك. يعمل مرة واحدة ولمدة 30 دقيقة فقط.',
    fr: 'Un lien d’accès à votre abonnement a été demandé. Il fonctionne une seule fois et reste valable 30 minutes.',
    en: 'A link to your subscription was requested. It works once, within 30 minutes.',
  },
  mail_portal_link_next: {
    ar: 'إن لم تطلبه أنت فتجاهل هذه الرسالة: لن يحدث شيء.',
    fr: 'Si vous ne l’avez pas demandé, ignorez ce message : rien ne se passera.',
    en: 'If you did not request it, ignore this message: nothing will happen.',
  },
  mail_footer: {
    ar: 'لا نراسلك إلا بخصوص اشتراكك، ولا نطلب أبدًا رقم بطاقتك أو كلمة سرها بالبريد الإلكتروني.',
    fr: 'Nous n’écrivons qu’au sujet de votre abonnement. Nous ne demandons jamais par e-mail le numéro ni le mot de passe de votre carte.',
    en: 'We only write about your subscription. We never ask for your card’s number or password by e-mail.',
  },

  mail_receipt_subject: {
    ar: 'وصل دفع رقم {number}: {amount}',
    fr: 'Votre reçu n° {number} : {amount}',
    en: 'Your receipt {number}: {amount}',
  },
  mail_receipt_what: {
    ar: 'استلمنا دفعتك بمبلغ {amount}. باقة {plan} مدفوعة إلى غاية {end}.',
    fr: 'Nous avons reçu votre paiement de {amount}. L’offre {plan} est payée jusqu’au {end}.',
    en: 'We received your payment of {amount}. The {plan} plan is paid until {end}.',
  },
  mail_receipt_next: {
    ar: 'تجد الوصل مرفقًا بهذه الرسالة.',
    fr: 'Le reçu est joint à ce message.',
    en: 'The receipt is attached to this message.',
  },

  mail_expiring_subject: {
    ar: 'بقي {time}: ينتهي اشتراكك في {end}',
    fr: 'Plus que {time} : votre abonnement se termine le {end}',
    en: '{time} left: your subscription ends on {end}',
  },
  mail_expiring_what: {
    ar: 'باقة {plan} مدفوعة إلى غاية {end}. المدة المتبقية: {time}.',
    fr: 'L’offre {plan} est payée jusqu’au {end} : il reste {time}.',
    en: 'The {plan} plan is paid until {end}: {time} left.',
  },
  mail_expiring_next: {
    ar: 'إن أردت الاستمرار فاشترِ الشهر التالي بمبلغ {amount}. لا يُخصم أي مبلغ تلقائيًا، والشهر الجديد يبدأ من نهاية الحالي: التجديد المبكر لا يُفقدك شيئًا.',
    fr: 'Pour continuer, achetez le mois suivant ({amount}). Rien n’est prélevé automatiquement, et le nouveau mois part de la fin de l’actuel : en renouvelant tôt, vous ne perdez rien.',
    en: 'To continue, buy the next month ({amount}). Nothing is charged automatically, and the new month starts where this one ends: you lose nothing by renewing early.',
  },

  mail_past_due_subject: {
    ar: 'انتهت مدة اشتراكك: جدّد قبل {graceEnd}',
    fr: 'Abonnement échu : renouvelez avant le {graceEnd}',
    en: 'Your paid time is over: renew before {graceEnd}',
  },
  mail_past_due_what: {
    ar: 'انتهت المدة المدفوعة لباقة {plan} في {end}. كل شيء يعمل إلى غاية {graceEnd}.',
    fr: 'La période payée de l’offre {plan} s’est terminée le {end}. Tout fonctionne encore jusqu’au {graceEnd}.',
    en: 'The paid time of the {plan} plan ended on {end}. Everything keeps working until {graceEnd}.',
  },
  mail_past_due_next: {
    ar: 'جدّد بمبلغ {amount} قبل ذلك، وإلا عدت إلى الباقة المجانية.',
    fr: 'Renouvelez ({amount}) avant cette date, sinon vous reviendrez à l’offre gratuite.',
    en: 'Renew ({amount}) before then, or you will go back to the free plan.',
  },

  mail_expired_subject: {
    ar: 'عدت إلى الباقة المجانية',
    fr: 'Retour à l’offre gratuite',
    en: 'You are back on the free plan',
  },
  mail_expired_what: {
    ar: 'انتهت المدة المدفوعة لباقة {plan} في {end}، وانتهت بعدها المهلة الإضافية. لم يُحذف شيء، لكن حدود الباقة المجانية تسري الآن.',
    fr: 'La période payée de l’offre {plan} s’est terminée le {end}, et le délai de grâce aussi. Rien n’a été supprimé, mais les limites de l’offre gratuite s’appliquent.',
    en: 'The paid time of the {plan} plan ended on {end}, and so has the grace period. Nothing was deleted, but the limits of the free plan apply now.',
  },
  mail_expired_next: {
    ar: 'يمكنك شراء شهر جديد بمبلغ {amount} متى شئت.',
    fr: 'Vous pouvez acheter un nouveau mois ({amount}) quand vous voulez.',
    en: 'You can buy a new month ({amount}) whenever you like.',
  },
  mail_expiring_tomorrow_subject: {
    ar: 'ينتهي اشتراكك غدًا، {end}',
    fr: 'Votre abonnement se termine demain, le {end}',
    en: 'Your subscription ends tomorrow, {end}',
  },
  mail_expiring_today_subject: {
    ar: 'ينتهي اشتراكك اليوم، {end}',
    fr: 'Votre abonnement se termine aujourd’hui, le {end}',
    en: 'Your subscription ends today, {end}',
  },
  mail_refunded_subject: {
    ar: 'أُعيد مبلغ دفعتك: {amount}',
    fr: 'Votre paiement a été remboursé : {amount}',
    en: 'Your payment was refunded: {amount}',
  },
  mail_refunded_what: {
    ar: 'أعدنا إليك مبلغ {amount} الذي دفعته مقابل باقة {plan} (الوصل رقم {number}). قد يستغرق ظهوره في حسابك بضعة أيام عمل.',
    fr: 'Nous vous avons remboursé {amount}, payés pour l’offre {plan} (reçu n° {number}). La somme peut mettre quelques jours ouvrables à apparaître sur votre compte.',
    en: 'We refunded {amount}, which you paid for the {plan} plan (receipt {number}). The money can take a few working days to reach your account.',
  },
  mail_refunded_next: {
    ar: 'تجد مرفقًا نسخة من الوصل تحمل تاريخ الإعادة. إن كان لديك سؤال فاتصل بـ{seller}: {phone}.',
    fr: 'Une copie du reçu, avec la date du remboursement, est jointe à ce message. Une question ? Contactez {seller} : {phone}.',
    en: 'A copy of the receipt with the date of the refund is attached. Questions? Contact {seller}: {phone}.',
  },
} satisfies Record<string, Translated>
