#%Module1.0
# netsig VERSION, in the installation that holds this file as share/modulefiles/netsig/VERSION. In a copy
# elsewhere write the path of the installation in the line of prefix.
set prefix [file dirname [file dirname [file dirname [file dirname [file normalize $ModulesCurrentModulefile]]]]]

set about "netsig VERSION measures, predicts and improves MPI collectives under network contention"

proc ModulesHelp { } {
    global about
    puts stderr "$about."
    puts stderr "Load the module of your MPI too. Begin with: netsig --help, man netsig, netsig demo."
}

module-whatis $about
conflict netsig

prepend-path PATH $prefix/bin
# Where MANPATH is not set, man finds the pages by PATH, and MANPATH would hide the system's.
if { [info exists env(MANPATH)] } {
    prepend-path MANPATH $prefix/share/man
}
