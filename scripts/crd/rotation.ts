/** Schemas of `spec.certificates` and `status.certificateRotation`. */
import { list, object, text } from './schema.ts';
import { STEP_DURATION } from './syntax.ts';

export const certificates = object('Rotation of the certificates of the control plane.', {
  rotation: object('Rotation of CAs.', {
    authorities: text(
      'Start of the rotation of a CA. Automatic: after two thirds of its validity period; a custom CA when its Secret contains another one. OnRequest: only with the annotation operator.karmada.io/rotate. Defaults to OnRequest.',
      { enum: ['Automatic', 'OnRequest'] },
    ),
    completion: text(
      'End of the trust in the former CA of the control plane (ca). Automatic: after the time in overlap. Confirm: with the annotation operator.karmada.io/rotate-complete. Other CAs do not wait. Defaults to Confirm.',
      { enum: ['Automatic', 'Confirm'] },
    ),
    overlap: text(
      'Time for which certificates of the former CA of the control plane remain valid, such as 720h. Only for completion Automatic. Agents in pull mode that do not renew their certificates within it lose access. Defaults to the validity period of certificates and one day.',
      STEP_DURATION,
    ),
  }),
});

export const certificateRotation = object(
  'Rotations of CAs and of the key of ServiceAccount tokens. Not set while there is none.',
  {
    authorities: list(
      'Rotations in progress.',
      object('One rotation.', {
        authority: text('Name of the CA or key, such as etcd-ca.', {
          knownValues: ['ca', 'front-proxy-ca', 'etcd-ca', 'service-account-key'],
        }),
        phase: text('Preparing, Switching, Overlap or Completing.', {
          knownValues: ['Preparing', 'Switching', 'Overlap', 'Completing'],
        }),
        since: text('Time at which the phase began.', { format: 'date-time' }),
        from: text('SHA-256 of the former CA or public key, in hexadecimal.'),
        to: text('SHA-256 of the new CA or public key, in hexadecimal.'),
        waitingFor: object('Pods, objects and agents that the phase waits for.', {
          names: list('The first ten.', { type: 'string' }),
          count: { description: 'Number of all.', type: 'integer' },
        }),
        abort: text(
          'Annotation of this object that aborts the rotation, as key=value. In Overlap and Completing, the former CA then remains trusted.',
        ),
        complete: text(
          'Annotation of this object that ends the trust in the former CA or key, as key=value. Only in Overlap.',
        ),
      }),
    ),
    queued: text(
      'Request that starts after the present one, as the value of the annotation operator.karmada.io/rotate.',
    ),
  },
);
