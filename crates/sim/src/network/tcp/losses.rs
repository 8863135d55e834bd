//! Trains that meet in a port, their losses, and the repair by their senders.

use std::sync::Arc;

use netsig_base::network::LinkId;
use netsig_base::units::{Bytes, Seconds};
use rand::RngExt;

use super::connection::tail_repair;
use super::link_rates::rate;
use super::messages::TcpState;
use super::port::{SegmentTrain, TcpPort, TrainLosses};
use super::{Agenda, LossCause, SEGMENT, Tcp, TcpRepair};
use crate::time::Time;

/// Number of later segments whose arrival reveals a lost one.
const DUPLICATES: f64 = 3.0;

impl Tcp<'_> {
    /// Determines the losses of the trains that start now, where they meet others in a port.
    pub(super) fn find_losses(&mut self, port: LinkId, agenda: &mut Agenda) {
        let link = self.links.network.link(port);
        let mut trains = std::mem::take(&mut self.trains);
        trains.clear();
        let mut queue = 0.0;
        let mut latency = Time::MAX;
        for place in 0..self.link_rates.members.count(port) {
            let id = self.link_rates.members.flow(port, place);
            let bottleneck = self.bottleneck(id);
            let message = self.messages.get(id);
            latency = latency.min(self.links.latency(&message.route));
            if bottleneck != Some(port) {
                // The train arrives at a random time of its cycle.
                let cycle = message.train / rate(id, &self.sharing);
                let start = self.rng.random::<f64>() * cycle;
                trains.push(self.train(id, port, start));
            } else if message.state == TcpState::Starting {
                trains.push(self.train(id, port, 0.0));
            } else {
                queue += message.train;
            }
        }
        let on_the_way = link.rate.0 * (latency * 2).seconds().0;
        let held = (queue - on_the_way).max(0.0);
        let room = (link.buffer.as_f64() - held).max(0.0);
        let lost = TcpPort::new(link.rate.0, room).send(&mut trains);
        for (train, lost) in trains.iter().zip(lost) {
            if lost.bytes > 0.0 && self.messages.get(train.flow).state == TcpState::Starting {
                self.apply_losses(port, train, lost, agenda);
            }
        }
        self.trains = trains;
    }

    /// The train of a flow as it arrives at a port.
    fn train(&self, flow: u32, port: LinkId, start: f64) -> SegmentTrain {
        let message = self.messages.get(flow);
        let input = message.input(port);
        SegmentTrain {
            flow,
            input,
            start,
            bytes: message.train,
            rate: self.link_rates.rate(input),
        }
    }

    /// Applies the losses of a train in a port: the number of segments is rounded up or down at
    /// random, with the exact mean.
    fn apply_losses(&mut self, port: LinkId, train: &SegmentTrain, lost: TrainLosses, agenda: &mut Agenda) {
        let segment = SEGMENT.min(train.bytes);
        let segments = (lost.bytes / segment + self.rng.random::<f64>()).floor();
        if segments == 0.0 {
            return;
        }
        let again = (segments * segment).min(train.bytes);
        let later = self.sharing.bytes_left(train.flow, agenda.now()) - train.bytes;
        let (repair, wait) = self.repair(train, lost.following, later, again);
        let message = self.messages.get_mut(train.flow);
        message.state = TcpState::Losing;
        message.resend_bytes += Bytes::rounded(again.ceil()).0;
        message.wait = wait;
        message.tries = match repair {
            TcpRepair::FastRetransmit => 0,
            TcpRepair::TailLossProbe | TcpRepair::Timeout => message.tries + 1,
        };
        message.connection.shrink(train.bytes, repair);
        let link = self.name(port);
        let message = self.messages.get(train.flow);
        agenda.record_loss(&message.flight, wait, LossCause::Overflow { link, repair });
    }

    /// Name of a port, made when it is first needed.
    fn name(&mut self, port: LinkId) -> Arc<str> {
        let name = self.names.entry(port);
        Arc::clone(name.or_insert_with(|| self.links.network.link_name(port).into()))
    }

    /// Repair of `again` lost bytes by the sender, and its idle time before the repair. `following` bytes of the
    /// train come through after the first lost byte. `later` bytes of later trains are sent if any of this train come
    /// through.
    fn repair(&mut self, train: &SegmentTrain, following: f64, later: f64, again: f64) -> (TcpRepair, Time) {
        let whole_following = (following / SEGMENT).floor() * SEGMENT;
        let sent_later = if again < train.bytes { later } else { 0.0 };
        let round_trip = self.round_trip(train.flow);
        if whole_following + sent_later < DUPLICATES * SEGMENT {
            let tries = self.messages.get(train.flow).tries;
            return tail_repair(train.bytes, round_trip, tries, self.min_timeout);
        }
        let busy = Time::of(Seconds(whole_following / rate(train.flow, &self.sharing)));
        let wait = if sent_later >= 1.0 {
            Time::ZERO
        } else {
            round_trip - busy
        };
        (TcpRepair::FastRetransmit, wait)
    }

    /// Round-trip time of a segment: 2·L, twice the delays of the links, and the queue at the
    /// bottleneck.
    fn round_trip(&mut self, id: u32) -> Time {
        let wires = self.links.latency(&self.messages.get(id).route) * 2;
        let Some(link) = self.bottleneck(id) else {
            return wires;
        };
        let mut queue = self.queue(link);
        let ends = self.links.network.link(link);
        if !self.links.network.is_host(ends.from) {
            queue = queue.min(ends.buffer.as_f64());
        }
        wires + Time::of(Seconds(queue / ends.rate.0))
    }

    /// Bytes in the trains of all flows whose bottleneck is `link`.
    fn queue(&mut self, link: LinkId) -> f64 {
        if let Some(known) = self.link_rates.queue(link) {
            return known;
        }
        let mut queue = 0.0;
        for place in 0..self.link_rates.members.count(link) {
            let id = self.link_rates.members.flow(link, place);
            if self.bottleneck(id) == Some(link) {
                queue += self.messages.get(id).train;
            }
        }
        self.link_rates.store_queue(link, queue);
        queue
    }

    fn bottleneck(&mut self, id: u32) -> Option<LinkId> {
        let route = &self.messages.get(id).route;
        self.link_rates.bottleneck(id, route, &self.sharing)
    }
}
