from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import redirect
from ishtirak import Client, Unavailable
from ishtirak.django import receives_events

from .deploys import start_deploy
from .models import BillingEvent

billing = Client(settings.ISHTIRAK_URL, settings.ISHTIRAK_API_KEY)


def deploy(request, deploy_id):
    try:
        answer = billing.consume(str(request.user.pk), "deploys_per_day", operation_id=deploy_id)
    except Unavailable:
        # An outage of billing stops no deploy.
        return start_deploy(deploy_id)
    if not answer["allowed"]:
        return HttpResponse(f"again at {answer['resets_at']}", status=429)
    return start_deploy(deploy_id)


def portal(request):
    return redirect(billing.open_portal(str(request.user.pk))["url"])


def upgrade(request):
    return redirect(billing.upgrade(str(request.user.pk), "pro")["checkout_url"])


@receives_events
def billing_events(request, event):
    # A repeated event has the same id and changes nothing.
    BillingEvent.objects.get_or_create(id=event["id"], defaults={"event": event})
