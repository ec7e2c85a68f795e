/** Reasons of control planes that the Go operator created. */
import { reasonTable } from './reason.ts';

export const ADOPTION_REASONS = reasonTable([
  {
    reason: 'AdoptionPending',
    fault: 'none',
    types: ['Adopted'],
    meaning:
      'The Go operator created the control plane. The operator changes nothing until its owner confirms.',
    action: 'Check the restarts that the message lists, then run the command of the message.',
  },
  {
    reason: 'AdoptionDisabled',
    fault: 'decision',
    types: ['Adopted'],
    meaning:
      'The annotation operator.karmada.io/adoption is Never, so the operator does not adopt the control plane.',
    action: 'To adopt it, set the annotation to Automatic.',
  },
  {
    reason: 'AdoptionConflict',
    fault: 'spec',
    types: ['Adopted'],
    meaning:
      'An object has the name of an object of the control plane, but its content belongs to another one.',
    action: 'Restore the object that the message names, or move it to another name.',
  },
  {
    reason: 'GoOperatorRunning',
    fault: 'decision',
    types: ['Adopted'],
    meaning:
      'The Go operator still renews its Lease. Two operators would overwrite changes of each other.',
    action: 'Scale the Deployment of the Go operator to 0 replicas.',
  },
  {
    reason: 'EtcdTemplateKept',
    fault: 'spec',
    types: ['Warning'],
    meaning:
      'The etcd of an adopted control plane keeps the Pod template of the Go operator. Its members use unencrypted peer URLs.',
    action:
      'To get the current template, restore a snapshot into a new control plane. Changes of spec.components.etcd.local have no effect.',
  },
]);
